/** Plans how `climax connect --adopt` moves the servers of an MCP client behind climax, and back. It writes no file. */

import { join } from "node:path";
import { FileError } from "../errors.ts";
import { expand, homeVariable } from "../files/expand.ts";
import { textToReplace } from "../files/text_file.ts";
import { homeFolders } from "../process/folders.ts";
import { dialectOf } from "../sources/upstream/foreign/dialects.ts";
import { readForeignServer } from "../sources/upstream/foreign/read.ts";
import type { ClientSettings } from "../sources/upstream/foreign/settings.ts";
import type { ServerFile } from "../sources/upstream/schema.ts";
import { isObject } from "../text/own_property.ts";
import type { McpClientProgram, Scope } from "./clients.ts";
import {
  type ClientText,
  isSameContent,
  otherServers,
  withChanges,
  withoutEntry,
  withoutServers,
  withPresentEntry,
  withServers,
} from "./connect.ts";

export interface AdoptedServers {
  readonly mcpServers: Readonly<Record<string, AdoptedServer>>;
  /** The servers' entries exactly as they stood in the client's file, to put them back. */
  readonly written: Readonly<Record<string, unknown>>;
}

type AdoptedServer = Omit<ServerFile, "name">;

export function pathToAdopt(client: McpClientProgram, scope: Scope): string | undefined {
  const settings = homeFolders()?.settings;
  const folder = scope === "project" ? ".climax" : settings && join(settings, "climax");
  return folder && join(folder, "clients", client.name, "mcp.json");
}

/** Reads the adopted servers at `path`; `undefined` when there is no file. @throws {ClimaxError} */
export async function readAdopted(path: string): Promise<AdoptedServers | undefined> {
  const text = await textToReplace(path, "Nothing was written");
  if (text === undefined) return undefined;
  try {
    const { mcpServers, written } = JSON.parse(text);
    if (isObject(mcpServers) && isObject(written)) return { mcpServers, written } as AdoptedServers;
  } catch {
    // A file that is not JSON is refused below, like JSON without the adopted servers
  }
  const message = "The file is not as climax wrote it";
  const hint = "It has the servers that were moved; put them back by hand, and remove it";
  throw new FileError("Nothing was written", { file: path, message, hint });
}

export function planAdoption(
  at: ClientText,
  before: AdoptedServers | undefined,
  say?: ClientSettings,
) {
  const left: [string, string][] = [];
  const notes: [string, string][] = [];
  const mcpServers: Record<string, AdoptedServer> = { ...before?.mcpServers };
  const written: Record<string, unknown> = { ...before?.written };
  const names: string[] = [];
  const dialect = dialectOf(at.client.name);
  let { text } = at;
  for (const [name, entry] of Object.entries(otherServers(at))) {
    const read = readForeignServer(name, entry, { dialect, say });
    const taken = Object.hasOwn(mcpServers, name) ? "climax has another of that name" : undefined;
    const reason = taken ?? read.reason ?? read.warnings[0];
    const without = reason === undefined ? withoutServers({ ...at, text }, [name]) : undefined;
    if (without === undefined || read.server === undefined) {
      left.push([name, reason ?? "it cannot be taken out of the file alone"]);
      continue;
    }
    const { name: _, ...server } = read.server;
    text = without;
    names.push(name);
    notes.push(...read.notes.map((note) => [name, note] as [string, string]));
    mcpServers[name] = server;
    written[name] = entry;
  }
  return { text, adopted: { mcpServers, written }, names, left, notes };
}

export function variablesOfAdopted({ mcpServers }: AdoptedServers): readonly string[] {
  const names = new Set<string>();
  expand(JSON.stringify(mcpServers), (name) => void names.add(name));
  return [...names].filter((name) => name !== homeVariable);
}

/**
 * Returns the text of the client's file with the moved servers put back.
 * @throws {ClimaxError} if that is not possible
 */
export function withAdopted(
  at: ClientText,
  { written }: AdoptedServers,
  backup: string | undefined,
): string {
  const base = withoutEntry(at, undefined) ?? at.text;
  const present = otherServers({ ...at, text: base });
  const missing = Object.entries(written).filter(([name]) => !Object.hasOwn(present, name));
  const next = withServers({ ...at, text: base }, Object.fromEntries(missing));
  if (backup === undefined) return next;
  const moved = Object.keys(otherServers({ ...at, text: backup }))
    .filter((name) => Object.hasOwn(written, name));
  const without = (text = "") => withoutServers({ ...at, text }, moved);
  const rest = without(backup);
  const ours = [withPresentEntry(at, rest), without(withPresentEntry(at, backup)), rest];
  const merged = ours.map((text) => withChanges(backup, text, at.text));
  return merged.find((text) => text !== undefined && isSameContent(at, text, next)) ?? next;
}
