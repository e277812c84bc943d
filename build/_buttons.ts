/** The buttons of docs/install.md that add climax to a client by a click. */

import { clients } from "../src/setup/clients.ts";
import { installLinks, linkedClients } from "../src/setup/deeplink.ts";

const start = "<!-- buttons: deno task buttons -->\n";
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

function buttons(): string {
  const linked = clients.filter(({ name }) => linkedClients.includes(name));
  const links = linked.map((client) => {
    return `[**Add to ${client.title}**](${installLinks(client, buttonWords)!.web})\n`;
  });
  return links.join("·\n");
}
