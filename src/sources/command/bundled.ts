/**
 * The configs that come with climax, and the names of sets of them, such as `@dev`. The build replaces the YAML of
 * each config by JSON with its text and its parsed value, so that a built program parses no YAML.
 */

import { basename, join } from "node:path";
import {
  privateFolders,
  privateNames,
  protectedNames,
  serverFiles,
} from "../../exec/private_paths.ts";
import { namesIn, ownFolder } from "../../process/folders.ts";
import { programPlaces } from "../../exec/search_path.ts";
import { matchesGlob } from "../../policy/select.ts";
import { ownProperty } from "../../text/own_property.ts";
import endProcessHelper from "../../../configs/helpers/end_process.pl" with { type: "text" };
import filesWriteHelper from "../../../configs/helpers/files_write.pl" with { type: "text" };
import type { ConfigFile } from "./schema.ts";
import archives from "../../../configs/archives.yaml" with { type: "text" };
import aws from "../../../configs/aws.yaml" with { type: "text" };
import cargo from "../../../configs/cargo.yaml" with { type: "text" };
import claude from "../../../configs/claude.yaml" with { type: "text" };
import codex from "../../../configs/codex.yaml" with { type: "text" };
import coreutils from "../../../configs/coreutils.yaml" with { type: "text" };
import curl from "../../../configs/curl.yaml" with { type: "text" };
import deno from "../../../configs/deno.yaml" with { type: "text" };
import docker from "../../../configs/docker.yaml" with { type: "text" };
import dockerCompose from "../../../configs/docker-compose.yaml" with { type: "text" };
import fd from "../../../configs/fd.yaml" with { type: "text" };
import ffmpeg from "../../../configs/ffmpeg.yaml" with { type: "text" };
import ffprobe from "../../../configs/ffprobe.yaml" with { type: "text" };
import files from "../../../configs/files.yaml" with { type: "text" };
import filesWrite from "../../../configs/files-write.yaml" with { type: "text" };
import gcloud from "../../../configs/gcloud.yaml" with { type: "text" };
import gemini from "../../../configs/gemini.yaml" with { type: "text" };
import gh from "../../../configs/gh.yaml" with { type: "text" };
import git from "../../../configs/git.yaml" with { type: "text" };
import go from "../../../configs/go.yaml" with { type: "text" };
import journalctl from "../../../configs/journalctl.yaml" with { type: "text" };
import jq from "../../../configs/jq.yaml" with { type: "text" };
import just from "../../../configs/just.yaml" with { type: "text" };
import kubectl from "../../../configs/kubectl.yaml" with { type: "text" };
import make from "../../../configs/make.yaml" with { type: "text" };
import npm from "../../../configs/npm.yaml" with { type: "text" };
import obsidian from "../../../configs/obsidian.yaml" with { type: "text" };
import pandoc from "../../../configs/pandoc.yaml" with { type: "text" };
import pip from "../../../configs/pip.yaml" with { type: "text" };
import processes from "../../../configs/processes.yaml" with { type: "text" };
import psql from "../../../configs/psql.yaml" with { type: "text" };
import python from "../../../configs/python.yaml" with { type: "text" };
import ripgrep from "../../../configs/ripgrep.yaml" with { type: "text" };
import sqlite3 from "../../../configs/sqlite3.yaml" with { type: "text" };
import systemctl from "../../../configs/systemctl.yaml" with { type: "text" };
import terraform from "../../../configs/terraform.yaml" with { type: "text" };
import uv from "../../../configs/uv.yaml" with { type: "text" };
import yq from "../../../configs/yq.yaml" with { type: "text" };

const contents: Readonly<Record<string, string>> = {
  ...{ archives, aws, cargo, claude, codex, coreutils, curl, deno, docker },
  ...{ "docker-compose": dockerCompose, fd, ffmpeg, ffprobe, files, "files-write": filesWrite },
  ...{ gcloud, gemini, gh, git, go, journalctl, jq, just, kubectl, make, npm, obsidian, pandoc },
  ...{ pip, processes, psql, python, ripgrep, sqlite3, systemctl, terraform, uv, yq },
};

export const bundledNames: ReadonlySet<string> = new Set(Object.keys(contents));

export interface BuiltConfig {
  readonly text: string;
  readonly config: ConfigFile;
}

const parsed = new Map<string, BuiltConfig>();

function builtConfig(name: string): BuiltConfig | undefined {
  const content = contents[name]!;
  // A built program has each config as JSON, which begins with a brace; from source, the config is YAML, which does not
  return content.startsWith("{")
    ? parsed.getOrInsertComputed(name, () => JSON.parse(content))
    : undefined;
}

export const bundledConfigs: ReadonlyMap<string, () => string> = new Map(
  Object.entries(contents).map(([name, content]) => {
    return [name, () => builtConfig(name)?.text ?? content];
  }),
);

export function findBuiltConfig(file: string): ConfigFile | undefined {
  const name = /^bundled:(.*)$/.exec(file)?.[1];
  return name !== undefined && bundledNames.has(name) ? builtConfig(name)?.config : undefined;
}

/** Returns the bundled config with a tool of this name or former name. It searches text, since parsing is slow. */
export function configOfBundled(tool: string): string | undefined {
  if (!/^\w{1,128}$/.test(tool)) return undefined;
  const definition = new RegExp(
    `^(?:  - name: ${tool}|      - ${tool}|    aliases: \\[(?:.*, )?${tool}\\b.*\\])$`,
    "m",
  );
  return bundledNames.values().find((name) => definition.test(bundledConfigs.get(name)!()));
}

export const configSets: ReadonlyMap<string, readonly string[]> = new Map([
  ["@code", ["git", "files", "files-write", "ripgrep", "jq", "curl", "archives", "processes"]],
  ["@dev", ["git", "gh", "ripgrep", "fd", "files", "jq", "curl", "docker", "docker-compose"]],
  ["@ai", ["claude", "codex", "gemini"]],
  ["@cloud", ["aws", "gcloud", "terraform"]],
  ["@containers", ["docker", "docker-compose", "kubectl"]],
  ["@data", ["jq", "psql", "sqlite3", "yq"]],
  ["@documents", ["obsidian", "pandoc"]],
  ["@files", ["coreutils", "fd", "files", "ripgrep"]],
  ["@media", ["ffmpeg", "ffprobe"]],
  ["@packages", ["cargo", "deno", "go", "just", "make", "npm", "pip", "python", "uv"]],
  ["@system", ["journalctl", "processes", "systemctl"]],
  ["@vcs", ["gh", "git"]],
]);

export function isBundled(spec: string): boolean {
  return bundledNames.has(spec) || configSets.has(spec);
}

export const codeSet = "@code";

export function configsOfSet(name: string): readonly string[] | undefined {
  const more = name === codeSet ? filesAsking().keys() : [];
  const configs = configSets.get(name);
  return configs && [...configs, ...more];
}

const asking = new Map<string, ReadonlyMap<string, string>>();

export function filesAsking(): ReadonlyMap<string, string> {
  return asking.getOrInsertComputed(ownFolder(), (folder) => {
    const here = namesIn(folder).toSorted();
    const folders = here.filter((name) => !/^(?:\.|node_modules$)/.test(name));
    const below = folders.flatMap((name) =>
      namesIn(join(folder, name)).map((each) => join(name, each))
    );
    const names = [...here, ...below];
    return new Map(
      bundledNames.values().flatMap((config) => {
        const [, list = ""] = /^for_files: \[(.*)\]$/m.exec(bundledConfigs.get(config)!()) ?? [];
        const globs = list.replaceAll('"', "").split(", ");
        const file = names.find((name) => globs.some((glob) => matchesGlob(glob, basename(name))));
        return file === undefined ? [] : [[config, file] as const];
      }),
    );
  });
}

export function withoutSets<Spec>(specs: readonly Spec[]): readonly (Spec | string)[] {
  return specs.flatMap((spec): readonly (Spec | string)[] => {
    return typeof spec === "string" ? configsOfSet(spec) ?? [spec] : [spec];
  });
}

export const neverLists: Readonly<Record<string, readonly string[]>> = {
  "{private}": [...privateNames, ...privateFolders],
  "{protected}": protectedNames,
  "{programs}": [...programPlaces, ...serverFiles],
};

const helpers: Readonly<Record<string, string>> = {
  "end_process.pl": endProcessHelper,
  "files_write.pl": filesWriteHelper,
};

/** Returns the code of a helper, with the lists of forbidden file names put in; empty if there is no such helper. */
export function helperText(name: string): string {
  const text = ownProperty(helpers, name) ?? "";
  return text.replaceAll(/\{\w+\}/g, (list) => ownProperty(neverLists, list)?.join(" ") ?? list);
}
