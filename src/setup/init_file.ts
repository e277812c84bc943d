/** Reads a project's config file, adds or removes servers in it, and writes it with a backup beside it. */

import { dirname } from "node:path";
import { type ClimaxError, FileError, messageOf } from "../errors.ts";
import { parseJson, plainJson } from "../files/json.ts";
import { placeOf } from "../files/finding.ts";
import { textToReplace } from "../files/text_file.ts";
import { writeWhole } from "../files/write_file.ts";
import { systemPath } from "../io.ts";
import { requireVariable } from "../process/environment.ts";
import { askServer } from "../sources/upstream/ask_server.ts";
import { lockEntry, lockToReplace, writeLock } from "../sources/upstream/lock.ts";
import { configVersion, type ProjectFile, type ServerFile } from "../sources/upstream/schema.ts";
import type { ServerSpec } from "../sources/upstream/spec.ts";
import { findHiddenInstructions } from "../sources/upstream/review.ts";
import { isObject, ownProperty } from "../text/own_property.ts";
import { plural } from "../text/plural.ts";
import { inlineJson, jsonEditor } from "./_edit_json.ts";
import type { Secrets } from "./init_secrets.ts";
import { describeValue } from "../text/excerpt.ts";
import type { NamedText } from "../text/named_text.ts";
import { isDeepStrictEqual } from "node:util";
import { findServers } from "../sources/upstream/foreign/dialects.ts";

export async function readProject(path: string) {
  const text = await textToReplace(path, "The config was not read");
  if (text === undefined) return { text, existing: undefined };
  const parsed = await parseJson(plainJson(text));
  const hint = "Fix it or move it away, and try again";
  if ("fault" in parsed) {
    const place = { file: path, ...placeOf(text, parsed.fault.offset) };
    const message = `The file is not JSON: ${parsed.fault.message}`;
    throw new FileError("The config was not read", { ...place, message, hint });
  }
  const { value } = parsed;
  if (isObject(value)) return { text, existing: value };
  const message = `Expected a map, found ${describeValue(value)}`;
  throw new FileError("The config was not read", { file: path, message, hint });
}

export async function writeProject(
  path: string,
  text: string,
  before: string | undefined,
): Promise<string | undefined> {
  if (text === before) return undefined;
  const root = dirname(path);
  let backup: string | undefined;
  if (before !== undefined) {
    backup = await freeName(path);
    await writeWhole(backup, before, { root });
  }
  await writeWhole(path, text, { root });
  return backup;
}

async function freeName(path: string): Promise<string> {
  for (let number = 1;; number++) {
    const name = number === 1 ? `${path}.bak` : `${path}.bak${number}`;
    const isTaken = await Deno.lstat(systemPath(name)).then(() => true, () => false);
    if (!isTaken) return name;
  }
}

/**
 * Connects to the servers of a project's file, and accepts the tools of those that are new. The failure of a server is
 * only reported.
 */
export async function connectServers(
  file: string,
  servers: readonly ServerSpec[],
  secrets: Secrets,
  say: (line: string) => Promise<void>,
): Promise<void> {
  const lock = await lockToReplace(file, "Nothing was written");
  // A credential that was just moved from a file is not yet set as a variable, so it is taken from `secrets`
  const environment = (name: string) => secrets.get(name) ?? requireVariable(name);
  const accepted = await Promise.all(servers.map(async (spec) => {
    try {
      const listing = await askServer(spec, { environment });
      const count = plural(listing.definitions.length, "tool");
      await say(`server '${spec.name}': ${count}`);
      for (const warning of [...listing.warnings, ...findHiddenInstructions(listing)]) {
        await say(`warning: server '${spec.name}': ${warning}`);
      }
      const isNew = !Object.hasOwn(lock.servers, spec.name);
      return isNew ? [[spec.name, lockEntry(listing, spec)] as const] : [];
    } catch (error) {
      await say(`warning: ${messageOf(error)}`);
      return [];
    }
  }));
  const all = { ...lock.servers, ...Object.fromEntries(accepted.flat()) };
  await writeLock(file, { ...lock, servers: all });
}

export function emptyProject(provider?: ProjectFile["llmProvider"]): string {
  return `{
  "version": "${configVersion}",
  // climax add NAME -- COMMAND, or climax add URL, puts a server here, such as
  // { "name": "files", "transport": "stdio", "command": "npx",
  //   "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] }
  "mcpServers": []${
    provider === undefined ? "" : `,
  // Asked by climax build and by sub-agents (climax mcp), and by nothing else
  "llmProvider": ${inlineJson(provider)}`
  }
}
`;
}

export function serversOf({ text }: NamedText): readonly Partial<ServerFile>[] {
  const value: unknown = JSON.parse(plainJson(text));
  const list = ownProperty(value, "mcpServers");
  if (Array.isArray(list)) return list;
  return (findServers(value) ?? []).map(({ name, written }) => ({ ...Object(written), name }));
}

export function withServer(at: NamedText, server: ServerFile): string {
  const { name, transport, ...rest } = server;
  return checked(at, (key, servers) => {
    if (Array.isArray(servers)) {
      return [jsonEditor.put(at.text, [key, servers.length], server), [...servers, server]];
    }
    // Other clients list servers in a map by name, with the key `type` in place of `transport`
    const entry = { type: transport, ...rest };
    return [jsonEditor.put(at.text, [key, name], entry), { ...servers, [name]: entry }];
  });
}

export function withoutServer(at: NamedText, index: number): string {
  return checked(at, (key, servers) => {
    const isList = Array.isArray(servers);
    const left = Object.entries(servers).toSpliced(index, 1);
    const text = jsonEditor.without(at.text, [key, isList ? index : Object.keys(servers)[index]!]);
    const after = isList ? left.map(([, server]) => server) : Object.fromEntries(left);
    const isEmptied = isList && left.length === 0;
    return [isEmptied ? text?.replace(/(?<="mcpServers"\s*:\s*)\[\s*\]/, "[]") : text, after];
  });
}

/** Edits the servers of a project's file, and refuses an edit that would change something else. @throws {FileError} */
function checked(
  at: NamedText,
  change: (key: string, servers: object) => readonly [text: string | undefined, after: object],
): string {
  const before = JSON.parse(plainJson(at.text));
  const key = ["mcpServers", "servers"].find((each) =>
    typeof ownProperty(before, each) === "object"
  );
  if (key === undefined) throw refusal(at.file, "The file has no list 'mcpServers'");
  try {
    const [text = "", after] = change(key, before[key]);
    if (isDeepStrictEqual(JSON.parse(plainJson(text)), { ...before, [key]: after })) return text;
  } catch {
    // An edited text that cannot be parsed is refused by the line below
  }
  throw refusal(at.file, "The file cannot be edited without changing something else in it");
}

function refusal(file: string, message: string): ClimaxError {
  const hint = "Edit it by hand, as docs/servers.md shows";
  return new FileError("Nothing was written", { file, message, hint });
}
