/** The links by which a click adds climax to a client: clients with a link of their own, and its web form. */

import type { EntryName, McpClientProgram, ServerCommand } from "./clients.ts";

/** A link for the client itself, and one for pages that show only web addresses, such as a README. */
interface InstallLinks {
  readonly app: string;
  readonly web: string;
}

type LinkMaker = (name: string, entry: Readonly<Record<string, unknown>>) => InstallLinks;

/** By the clients' names. Sources: cursor.com/docs/mcp/install-links, and code.visualstudio.com on MCP servers. */
const makers: Readonly<Record<string, LinkMaker>> = {
  cursor: (name, entry) => {
    const config = new TextEncoder().encode(JSON.stringify(entry)).toBase64();
    const query = `name=${encodeURIComponent(name)}&config=${encodeURIComponent(config)}`;
    return {
      app: `cursor://anysphere.cursor-deeplink/mcp/install?${query}`,
      web: `https://cursor.com/install-mcp?${query}`,
    };
  },
  vscode: (name, { type: _, ...entry }) => {
    // In a link, a server with a command is one of stdio
    const app = `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, ...entry }))}`;
    return { app, web: `https://insiders.vscode.dev/redirect?url=${encodeURIComponent(app)}` };
  },
};

export const linkedClients: readonly string[] = Object.keys(makers);

/** The links that add an entry with `command`; `undefined` for a client without links. */
export function installLinks(
  client: McpClientProgram,
  command: ServerCommand,
  name: EntryName = "climax",
): InstallLinks | undefined {
  return makers[client.name]?.(name, client.entry(command, name));
}
