/**
 * The configs that come with the program, embedded as text so that source, bundle and binary read
 * the same bytes.
 */

import claude from "../../../configs/claude.yaml" with { type: "text" };
import coreutils from "../../../configs/coreutils.yaml" with { type: "text" };
import curl from "../../../configs/curl.yaml" with { type: "text" };
import docker from "../../../configs/docker.yaml" with { type: "text" };
import dockerCompose from "../../../configs/docker-compose.yaml" with { type: "text" };
import fd from "../../../configs/fd.yaml" with { type: "text" };
import files from "../../../configs/files.yaml" with { type: "text" };
import gh from "../../../configs/gh.yaml" with { type: "text" };
import git from "../../../configs/git.yaml" with { type: "text" };
import jq from "../../../configs/jq.yaml" with { type: "text" };
import kubectl from "../../../configs/kubectl.yaml" with { type: "text" };
import npm from "../../../configs/npm.yaml" with { type: "text" };
import ripgrep from "../../../configs/ripgrep.yaml" with { type: "text" };
import sqlite3 from "../../../configs/sqlite3.yaml" with { type: "text" };

/** YAML text by config name, names in alphabetical order. */
export const bundledConfigs: ReadonlyMap<string, string> = new Map([
  ["claude", claude],
  ["coreutils", coreutils],
  ["curl", curl],
  ["docker", docker],
  ["docker-compose", dockerCompose],
  ["fd", fd],
  ["files", files],
  ["gh", gh],
  ["git", git],
  ["jq", jq],
  ["kubectl", kubectl],
  ["npm", npm],
  ["ripgrep", ripgrep],
  ["sqlite3", sqlite3],
]);
