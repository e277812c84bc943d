/** Reads the servers in a file of an MCP client for climax's own config. */

import { formatPlace } from "../errors.ts";
import { placeOf } from "../files/finding.ts";
import { readTextFile } from "../files/text_file.ts";
import { dialectOf, otherKeys, serversIn } from "../sources/upstream/foreign/dialects.ts";
import { readForeignServer } from "../sources/upstream/foreign/read.ts";
import { parseClientFile, readSettingsOf } from "../sources/upstream/foreign/settings.ts";
import type { ServerFile } from "../sources/upstream/schema.ts";
import { ownProperty } from "../text/own_property.ts";
import { clients, filesOf, type McpClientProgram } from "./clients.ts";

export interface FoundServer {
  readonly server: ServerFile;
  readonly place: ClientConfigFile;
}

/** Reads the servers in the file at `place` for the project in `folder`, with notes on those left out. */
export async function importServers({ client, path }: ClientConfigFile, folder: string) {
  const read = await readTextFile(path);
  if (!read.ok) {
    return { found: [], notes: read.isMissing ? [] : [`${path}: ${read.problem.message}`] };
  }
  const parsed = await parseClientFile(path, read.text);
  if ("fault" in parsed) {
    const { offset, message } = parsed.fault;
    const place = formatPlace({ file: path, ...placeOf(read.text, offset) });
    return { found: [], notes: [`${place}: The file cannot be read: ${message}`] };
  }
  const { value } = parsed;
  const dialect = dialectOf(client.name);
  const say = await readSettingsOf(dialect, folder, { path, value });
  // Claude Code also has servers for each folder
  const ofFolder = ownProperty(ownProperty(ownProperty(value, "projects"), folder), client.key);
  const written = [ownProperty(value, client.key), ofFolder].flatMap((map) => serversIn(map) ?? []);
  const notes = otherKeys(path, value, client.key).map((key) =>
    `${path}: climax does not use '${key}'`
  );
  const found = written.flatMap(({ name, written }) => {
    // The config is in the folder of the project
    const { server, reason, ...more } = readForeignServer(name, written, {
      dialect,
      root: ".",
      say,
    });
    const said = server === undefined
      ? [`is left out: ${reason}`]
      : [...more.notes, ...more.warnings];
    notes.push(...said.map((note) => `${path}: server '${name}'${server ? ":" : ""} ${note}`));
    return server === undefined ? [] : [{ server, place: { client, path } }];
  });
  return { found, notes };
}

/** The clients whose files are read, by their names for `--agent`. */
export const clientNames: readonly string[] = clients.map(({ name }) => name);

interface ClientConfigFile {
  readonly client: McpClientProgram;
  readonly path: string;
}

/** Returns every place for the project in `folder`, with the project's own first. */
export function placesFor(folder: string): ClientConfigFile[] {
  return (["project", "user"] as const).flatMap((scope) => {
    return clients.flatMap((client) => {
      return filesOf(client, scope, folder).map((path) => ({ client, path }));
    });
  });
}
