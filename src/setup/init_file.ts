/** Reads the project's config, checks its servers, and writes it with a backup beside it. */

import { dirname } from "node:path";
import { FileError, messageOf } from "../errors.ts";
import { plainJson } from "../files/json.ts";
import { parseJson } from "../files/parse_json.ts";
import { placeOf } from "../files/finding.ts";
import { textToReplace } from "../files/text_file.ts";
import { writeWhole } from "../files/write_file.ts";
import { systemPath } from "../io.ts";
import { requireVariable } from "../process/environment.ts";
import { askServer } from "../sources/upstream/ask_server.ts";
import {
  compareWithLock,
  isMoved,
  lockEntry,
  lockToReplace,
  writeLock,
} from "../sources/upstream/lock.ts";
import { configVersion, type ProjectFile } from "../sources/upstream/schema.ts";
import type { ServerSpec } from "../sources/upstream/spec.ts";
import { findHiddenInstructions } from "../sources/upstream/review.ts";
import { isObject } from "../text/own_property.ts";
import { plural } from "../text/plural.ts";
import { shellWord } from "../text/shell_word.ts";
import { inlineJson } from "./_edit_json.ts";
import type { Secrets } from "./init_secrets.ts";
import { describeValue } from "../text/excerpt.ts";
import { climax } from "../process/own_command.ts";

/** Reads the config at `path`. @throws {ClimaxError} when it exists and is not a JSON object */
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

/** Writes `text` to `path`; the text `before` goes into a backup, whose name is returned. */
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

/** Connects to every server and accepts the new ones; one that fails is reported and kept. */
export async function connectServers(
  file: string,
  servers: readonly ServerSpec[],
  secrets: Secrets,
  say: (line: string) => Promise<void>,
): Promise<void> {
  const lock = await lockToReplace(file, "Nothing was written");
  // A credential that was just moved out of a file is not set yet
  const environment = (name: string) => secrets.get(name) ?? requireVariable(name);
  const accepted = await Promise.all(servers.map(async (spec) => {
    try {
      const listing = await askServer(spec, { environment });
      const count = plural(listing.definitions.length, "tool");
      await say(`server '${spec.name}': ${count}`);
      for (const warning of [...listing.warnings, ...findHiddenInstructions(listing)]) {
        await say(`warning: server '${spec.name}': ${warning}`);
      }
      if (!Object.hasOwn(lock.servers, spec.name)) {
        return [[spec.name, lockEntry(listing, spec)] as const];
      }
      const { changed, fresh } = compareWithLock(lock, spec.name, listing);
      const news = [...changed, ...fresh].join(", ");
      const why = isMoved(lock, spec)
        ? "not the command or address that was accepted, so not served"
        : news && `not as accepted, so not served: ${news}`;
      const hint = `Look and accept: ${climax()} trust ${shellWord(spec.name)}`;
      if (why) await say(`warning: server '${spec.name}': ${why}\n  hint: ${hint}`);
    } catch (error) {
      await say(`warning: ${messageOf(error)}`);
    }
    return [];
  }));
  const all = { ...lock.servers, ...Object.fromEntries(accepted.flat()) };
  await writeLock(file, { ...lock, servers: all });
}

/** Returns the text of a project's file without servers. */
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
