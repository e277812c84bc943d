/** The entries of MCP clients that docs/clients.md shows, to be pasted by hand. */

import { join } from "node:path";
import { root } from "./_server.ts";

/** A block of the page. */
export interface ClientEntry {
  readonly language: string;
  readonly text: string;
}

/** Returns the entry of each client by its title. A heading may name several clients. */
export async function clientEntries(): Promise<ReadonlyMap<string, ClientEntry>> {
  const page = await Deno.readTextFile(join(root, "docs", "clients.md"));
  const [, section] = page.split("\n## Entries by hand\n");
  const blocks = section!.split("\n## ")[0]!.matchAll(/^### (.+)\n\n```(\w+)\n([^]*?)^```$/gm);
  return new Map([...blocks].flatMap(([, titles, language, text]) => {
    return titles!.split(", ").map((title) =>
      [title, { language: language!, text: text! }] as const
    );
  }));
}
