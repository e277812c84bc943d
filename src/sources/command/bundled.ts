/**
 * The configs that come with the program, embedded as text so that source, bundle and binary read
 * the same bytes.
 */

import claude from "../../../configs/claude.yaml" with { type: "text" };
import coreutils from "../../../configs/coreutils.yaml" with { type: "text" };
import docker from "../../../configs/docker.yaml" with { type: "text" };
import git from "../../../configs/git.yaml" with { type: "text" };

/** YAML text by config name, names in alphabetical order. */
export const bundledConfigs: ReadonlyMap<string, string> = new Map([
  ["claude", claude],
  ["coreutils", coreutils],
  ["docker", docker],
  ["git", git],
]);
