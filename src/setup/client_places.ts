/** Finds the MCP clients on this system and the ones that start climax. */

import { dirname } from "node:path";
import { ClimaxError, formatProblem } from "../errors.ts";
import { homeFolders, statOf } from "../process/folders.ts";
import { readClientFile, readProjectFile } from "./client_file.ts";
import { clients, filesOf, type McpClientProgram, type Scope, scopes } from "./clients.ts";
import { commandOfConnected } from "./connect.ts";

export interface ClientPlace {
  readonly client: McpClientProgram;
  readonly scope: Scope;
  readonly path: string;
  readonly isThere: boolean;
  /** The command of its entry for climax, if it has one. */
  readonly command: readonly string[] | undefined;
  readonly problem?: string;
}

/** Returns true when `client` seems to be installed. */
export function isInstalled(client: McpClientProgram): boolean {
  const folders = homeFolders();
  if (folders === undefined) return false;
  const marks = client.marks?.(folders) ?? client.user?.(folders).map((path) => dirname(path)) ??
    [];
  return marks.some((mark) => statOf(mark) !== undefined);
}

/** Returns the file of `client` for `scope`, even if missing; `undefined` when it has no such scope. */
export function clientPlaceOf(
  client: McpClientProgram,
  scope: Scope,
  folder: string,
): string | undefined {
  const files = filesOf(client, scope, folder);
  return files.find((file) => statOf(file) !== undefined) ?? files[0];
}

/** Returns the places of every client that is installed or has a file in `folder`. */
export async function findClients(folder: string): Promise<readonly ClientPlace[]> {
  const places = await Promise.all(clients.flatMap((client) => {
    return scopes.map(async (scope) => {
      const path = clientPlaceOf(client, scope, folder);
      if (path === undefined) return [];
      const place = await look(client, scope, path, folder);
      const isShown = place.isThere || scope === "user" && isInstalled(client);
      return isShown ? [place] : [];
    });
  }));
  const seen = new Set<string>();
  // In the home folder, a project's file may be the user's file
  return places.flat().filter(({ path }) => !seen.has(path) && seen.add(path));
}

async function look(client: McpClientProgram, scope: Scope, path: string, folder: string) {
  try {
    const { text } = scope === "project"
      ? await readProjectFile(path, folder)
      : await readClientFile(path);
    const command = commandOfConnected({ client, file: path, text: text ?? "" });
    return { client, scope, path, isThere: text !== undefined, command };
  } catch (error) {
    if (!(error instanceof ClimaxError)) throw error;
    const problem = error.problems.map(formatProblem).join("\n");
    return { client, scope, path, isThere: true, command: undefined, problem };
  }
}
