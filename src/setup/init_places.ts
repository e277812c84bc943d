/** The files of the MCP clients whose servers are imported. */

import { clients, filesOf, type McpClientProgram } from "./clients.ts";

/** The clients whose files are read, by their names for `--agent`. */
export const clientNames = [
  "claude-code",
  "claude-desktop",
  "cursor",
  "vscode",
  "windsurf",
  "codex",
  "gemini",
] as const;

export type ClientName = typeof clientNames[number];

export interface ClientConfigFile {
  readonly client: ClientName;
  readonly path: string;
  readonly format: McpClientProgram["format"];
}

/** Every place for the project in `folder`, those of the project first. */
export function placesFor(folder: string): ClientConfigFile[] {
  return (["project", "user"] as const).flatMap((scope) => {
    return clientNames.flatMap((name) => {
      const client = clients.find((each) => each.name === name)!;
      const { format } = client;
      return filesOf(client, scope, folder).map((path) => ({ client: name, path, format }));
    });
  });
}
