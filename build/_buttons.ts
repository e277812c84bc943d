/** The buttons of docs/install.md that add climax to a client by a click. */

import { clients } from "../src/setup/clients.ts";

const start = "<!-- buttons: deno task write -->\n";
const end = "<!-- /buttons -->";

/** The words that a button starts climax with: npx would run programs of the project in which a client starts it. */
export const buttonWords = [
  ...["climax", "git", "--background-after", "45"] as const,
  ...["--results", "compact", "--policy", "ask"] as const,
] as const;

/** Returns the page with its buttons written again. @throws when it has no place for them */
export function withButtons(page: string): string {
  const from = page.indexOf(start);
  const to = page.indexOf(end, from);
  if (from < 0 || to < 0) {
    throw new Error(`docs/install.md has no lines '${start.trim()}' and '${end}'`);
  }
  return page.slice(0, from + start.length) + buttons() + page.slice(to);
}

type LinkMaker = (entry: Readonly<Record<string, unknown>>) => string;

/** Web addresses that add an entry, by client. Sources: cursor.com/docs/mcp/install-links, and code.visualstudio.com on MCP servers. */
const linkOf: Readonly<Record<string, LinkMaker>> = {
  cursor: (entry) => {
    const config = new TextEncoder().encode(JSON.stringify(entry)).toBase64();
    return `https://cursor.com/install-mcp?name=climax&config=${encodeURIComponent(config)}`;
  },
  vscode: ({ type: _, ...entry }) => {
    // In a link, a server with a command is one of stdio
    const name = "climax";
    const app = `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, ...entry }))}`;
    return `https://insiders.vscode.dev/redirect?url=${encodeURIComponent(app)}`;
  },
};

function buttons(): string {
  const links = clients.flatMap((client) => {
    const link = linkOf[client.name]?.(client.entry(buttonWords, "climax"));
    return link === undefined ? [] : [`[**Add to ${client.title}**](${link})\n`];
  });
  return links.join("·\n");
}
