/** Finds servers that a client's settings switch off or forbid outside of the server's own entry. */

import { load } from "js-yaml";
import { basename, join } from "node:path";
import { messageOf } from "../../../errors.ts";
import { parseJson, plainJson } from "../../../files/json.ts";
import { readTextFile } from "../../../files/text_file.ts";
import { matchesGlob } from "../../../policy/select.ts";
import { homeFolders } from "../../../process/folders.ts";
import { isObject, ownProperty } from "../../../text/own_property.ts";
import type { Dialect } from "./dialects.ts";

const settingsFiles: Readonly<Record<string, string>> = {
  "claude-code": "./.claude/settings.json ./.claude/settings.local.json ~/.claude/settings.json " +
    "~/.claude.json /etc/claude-code/managed-settings.json",
  codex: "./.codex/config.toml ~/.codex/config.toml",
  cursor: "./.cursor/cli.json ~/.cursor/cli-config.json",
  gemini: "./.gemini/settings.json ~/.gemini/settings.json ~/.gemini/mcp-server-enablement.json " +
    "/etc/gemini-cli/settings.json",
  opencode: "./opencode.json ./opencode.jsonc ~/.config/opencode/opencode.json",
  zed: "./.zed/settings.json ~/.config/zed/settings.json",
};

interface SettingsWord {
  readonly isOff: boolean;
  /** The place of the setting, such as `.claude/settings.json: deny`. */
  readonly place: string;
}

export type ClientSettings = (name: string, entry: unknown) => readonly SettingsWord[];

interface SettingsFile {
  readonly path: string;
  readonly value: unknown;
}

export async function parseClientFile(
  path: string,
  text: string,
): Promise<Awaited<ReturnType<typeof parseJson>>> {
  const format = formatOf(path);
  if (format === "JSON") {
    return await parseJson(plainJson(text).trim() === "" ? "{}" : plainJson(text));
  }
  try {
    if (format === "YAML") return { value: load(text, { maxAliases: 10_000, maxDepth: 100 }) };
    return { value: (await import("smol-toml")).parse(text.replace(/^\ufeff/, "")) };
  } catch (error) {
    const [message = ""] = messageOf(error).split("\n");
    return { fault: { offset: 0, message } };
  }
}

export function formatOf(path: string): "JSON" | "TOML" | "YAML" {
  return /\.toml$/.test(path) ? "TOML" : /\.ya?ml$/.test(path) ? "YAML" : "JSON";
}

/** Reads a client's settings. `own` is the file with its servers, `root` the folder of the project. */
export async function readSettingsOf(
  dialect: Dialect,
  root: string | undefined,
  own: SettingsFile | undefined,
): Promise<ClientSettings> {
  const folders: Readonly<Record<string, string | undefined>> = {
    ...{ "~": homeFolders()?.home, ".": root, "": "/" },
  };
  const files: SettingsFile[] = own === undefined ? [] : [own];
  const unread: SettingsWord[] = [];
  for (const place of settingsFiles[dialect.name]?.split(" ") ?? []) {
    const [first = "", ...rest] = place.split("/");
    const path = folders[first] && join(folders[first], ...rest);
    if (path === undefined || path === own?.path) continue;
    const read = await readTextFile(path);
    if (!read.ok && read.isMissing) continue;
    const parsed = read.ok ? await parseClientFile(path, read.text) : {};
    if ("value" in parsed) files.push({ path, value: parsed.value });
    else unread.push({ isOff: false, place: `${path} cannot be read, and perhaps` });
  }
  return (name, entry) => {
    return [...files.flatMap((file) => wordsOn(name, entry, file, root)), ...unread];
  };
}

const entries = new Set([
  ...["mcpServers", "mcp_servers", "context_servers", "servers", "extensions"],
  ...["projects", "inputs"],
]);

/** The lists at these keys name the only servers that may be used. */
const onlyLists = [["mcp", "allowed"], ["allowMCPServers"], ["allowedMcpServers"]];

/** A key such as `deny` forbids the servers that are named below it; a key such as `allow` only allows them. */
const restricting = /disabl|exclu|den(?:y|ied)|block|forbid/i;
const approving = /allow|enabl|approv|trust|auto|always/i;

/** A server's name may be a common word, so it counts only in files and below keys with a word such as `mcp`. */
const aboutServers = /mcp|server|tool|permission|agent|extension/i;

function wordsOn(
  name: string,
  entry: unknown,
  { path: file, value }: SettingsFile,
  root: string | undefined,
): SettingsWord[] {
  const words: SettingsWord[] = [];
  // Claude Code's own file, which has `projects`, also has histories and caches: a name in these means nothing
  const projects = ownProperty(value, "projects");
  const add = (isOff: boolean, keys: readonly string[]) => {
    words.push({ isOff, place: [file, keys.join(".")].filter(Boolean).join(": ") });
  };
  const isAbout = (text: string, keys: readonly string[]) => {
    return projects === undefined && mentions(text, name) &&
      (text !== name || aboutServers.test([basename(file), ...keys].join(".")));
  };
  const visit = (each: unknown, keys: readonly string[]): void => {
    if (Array.isArray(each)) return each.forEach((inner) => visit(inner, keys));
    const key = keys.at(-1) ?? "";
    if (restricting.test(key) && isThis(each, name, entry)) return add(true, keys);
    if (typeof each === "string" && isAbout(each, keys)) {
      const isHarmless = approving.test(keys.join(".")) && !restricting.test(key);
      if (!isHarmless) add(false, keys);
    }
    if (!isObject(each) || ownProperty(each, name) === entry) return;
    for (const [key, inner] of Object.entries(each)) {
      const at = [...keys, key];
      const isEntry = keys.length < 2 && entries.has(key) ||
        at.join() === "mcp" && ownProperty(inner, name) !== undefined;
      if (isEntry) continue;
      const isNamed = isAbout(key, keys) || key === "*" && inner === false && isAbout(name, keys);
      if (!isNamed) visit(inner, at);
      else if (!isGrant(inner)) add(key === name && ownProperty(inner, "enabled") === false, at);
    }
  };
  for (const keys of onlyLists) {
    const names = keys.reduce<unknown>((inner, key) => ownProperty(inner, key), value);
    const isLeftOut = Array.isArray(names) && !names.some((each) => isThis(each, name, entry));
    if (isLeftOut) add(true, keys);
  }
  visit(value, []);
  // A server in a person's own file is in all projects, so the settings of all are searched
  const here = root === undefined ? projects : { [root]: ownProperty(projects, root) };
  visit(here, ["projects"]);
  return words;
}

function isGrant(value: unknown): boolean {
  if (isObject(value)) return Object.values(value).every(isGrant);
  return value === true || value === "allow";
}

/** Returns whether an item of a list of servers means the server `name`: by its name, URL or command. */
function isThis(each: unknown, name: string, entry: unknown): boolean {
  if (!isObject(each)) return each === name;
  const { serverName, serverUrl, serverCommand } = each;
  const url = ownProperty(entry, "url");
  const words = [ownProperty(entry, "command"), ownProperty(entry, "args") ?? []].flat();
  return serverName === name ||
    typeof serverUrl === "string" && typeof url === "string" && matchesGlob(serverUrl, url) ||
    Array.isArray(serverCommand) && JSON.stringify(serverCommand) === JSON.stringify(words);
}

/** Returns whether `text` is the name of the server or of one of its tools, or a pattern with `*` for those. */
function mentions(text: string, name: string): boolean {
  if (text === name) return true;
  const [start, pattern] = text.split("*");
  const prefixes = [`mcp__${name}__`, `mcp_${name}_`, `mcp:${name}:`, `${name}_`, `Mcp(${name}:`];
  return text === `mcp__${name}` || prefixes.some((prefix) => {
    return text.startsWith(prefix) ||
      pattern !== undefined && start !== "" && prefix.startsWith(start!);
  });
}
