/**
 * Moves the servers of an MCP client behind climax, and back. They go into a file of their own, in the common
 * form to be started from and as the client wrote them to be put back. Nothing is written here.
 */

import { join } from "node:path";
import { readTextFile } from "../files/text_file.ts";
import { ClimaxError, ExitCode } from "../errors.ts";
import { homeFolders } from "../process/folders.ts";
import type { ForeignServer } from "../sources/upstream/schema.ts";
import { isObject } from "../text/own_property.ts";
import type { McpClientProgram, Scope } from "./clients.ts";
import {
  type ClientText,
  isDerived,
  otherServers,
  withoutEntry,
  withoutServers,
  withServers,
} from "./connect.ts";
import { standardServer } from "./standard_server.ts";

/** Servers of a client that climax starts in its place, by name. */
export interface AdoptedServers {
  readonly mcpServers: Readonly<Record<string, ForeignServer>>;
  /** As the client wrote them. */
  readonly written: Readonly<Record<string, unknown>>;
}

/** What is moved, and what stays where it is. */
export interface Adoption {
  /** The client's text without the servers that are moved. */
  readonly text: string;
  /** The servers of this and of earlier moves. */
  readonly adopted: AdoptedServers;
  readonly names: readonly string[];
  /** The other servers of the client, each with the reason. */
  readonly left: readonly (readonly [name: string, reason: string])[];
}

/** The path of the file of adopted servers; `undefined` when the home folder is unknown. */
export function adoptedPath(client: McpClientProgram, scope: Scope): string | undefined {
  const settings = homeFolders()?.settings;
  const folder = scope === "project" ? ".climax" : settings && join(settings, "climax");
  return folder && join(folder, "clients", client.name, "mcp.json");
}

/** Reads the adopted servers at `path`; `undefined` when there are none. @throws {ClimaxError} */
export async function readAdopted(path: string): Promise<AdoptedServers | undefined> {
  const read = await readTextFile(path);
  if (!read.ok && read.isMissing) return undefined;
  if (!read.ok) throw new ClimaxError("Nothing was written", ExitCode.file, [read.problem]);
  try {
    const { mcpServers, written } = JSON.parse(read.text);
    if (isObject(mcpServers) && isObject(written)) return { mcpServers, written } as AdoptedServers;
  } catch {
    // Reported below
  }
  const message = "The file is not as climax wrote it";
  const hint = "It has the servers that were moved; put them back by hand, and remove it";
  throw new ClimaxError("Nothing was written", ExitCode.file, [{ file: path, message, hint }]);
}

/** The text of the file. */
export function adoptedText(servers: AdoptedServers): string {
  return `${JSON.stringify(servers, null, 2)}\n`;
}

/** Plans to move every server of `at` that climax can start, in addition to those of `before`. */
export function planAdoption(at: ClientText, before: AdoptedServers | undefined): Adoption {
  const left: [string, string][] = [];
  const mcpServers: Record<string, ForeignServer> = { ...before?.mcpServers };
  const written: Record<string, unknown> = { ...before?.written };
  const names: string[] = [];
  let { text } = at;
  for (const [name, entry] of Object.entries(otherServers(at))) {
    const standard = standardServer(at.client, entry);
    if (!standard.ok) left.push([name, standard.reason]);
    else if (Object.hasOwn(mcpServers, name)) left.push([name, "climax has another of that name"]);
    else {
      const without = withoutServers({ ...at, text }, [name]);
      if (without === undefined) left.push([name, "it cannot be taken out of the file alone"]);
      else {
        text = without;
        names.push(name);
        mcpServers[name] = standard.server;
        written[name] = entry;
      }
    }
  }
  return { text, adopted: { mcpServers, written }, names, left };
}

/**
 * The text of the client's file with its servers and without climax: `backup`, if nothing else has changed
 * since.
 *
 * @throws {ClimaxError} when the file cannot be edited
 */
export function withAdopted(
  at: ClientText,
  { written }: AdoptedServers,
  backup: string | undefined,
): string {
  if (backup !== undefined) {
    const moved = Object.keys(otherServers({ ...at, text: backup }))
      .filter((name) => Object.hasOwn(written, name));
    const rest = withoutServers({ ...at, text: backup }, moved);
    if (rest !== undefined && moved.length === Object.keys(written).length && isDerived(at, rest)) {
      return backup;
    }
  }
  const base = withoutEntry(at, undefined) ?? at.text;
  const present = otherServers({ ...at, text: base });
  const missing = Object.entries(written).filter(([name]) => !Object.hasOwn(present, name));
  return withServers({ ...at, text: base }, Object.fromEntries(missing));
}
