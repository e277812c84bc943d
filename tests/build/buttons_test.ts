/** The buttons that add climax to a client: what their links decode to is the entry that `--print` prints. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { buttonWords, withButtons } from "../../build/_buttons.ts";
import { clients } from "../../src/setup/clients.ts";
import { snippet } from "../../src/setup/connect.ts";
import { root } from "../_fixtures.ts";

/** The client, the name and the entry in a link, as the client reads them. */
function decoded(link: string): { client: string; name: string; entry: unknown } {
  const url = new URL(link);
  const inner = url.searchParams.get("url");
  if (inner !== null) return decoded(inner);
  if (url.protocol === "vscode:") {
    assert.equal(url.pathname, "mcp/install");
    const { name, ...entry } = JSON.parse(decodeURIComponent(url.search.slice(1)));
    return { client: "vscode", name, entry: { type: "stdio", ...entry } };
  }
  const bytes = Uint8Array.fromBase64(url.searchParams.get("config")!);
  const entry = JSON.parse(new TextDecoder().decode(bytes));
  return { client: "cursor", name: url.searchParams.get("name")!, entry };
}

Deno.test("the buttons of docs/install.md are those of deno task write, one for each client", async () => {
  const page = await Deno.readTextFile(join(root, "docs/install.md"));
  assert.equal(withButtons(page), page, "deno task write writes them");
  const links = [...page.matchAll(/\[\*\*Add to [^\]]+\*\*\]\(([^)]+)\)/g)].map(([, link]) =>
    link!
  );
  assert.deepEqual(
    links.map(decoded),
    clients.filter(({ name }) => ["cursor", "vscode"].includes(name)).map((client) => ({
      client: client.name,
      name: "climax",
      entry: JSON.parse(snippet(client, buttonWords))[client.key].climax,
    })),
  );
});
