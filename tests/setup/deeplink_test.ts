/** Links that add climax to a client: what they decode to is the entry that `--print` prints. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { buttonWords, withButtons } from "../../build/_buttons.ts";
import { clients, type McpClientProgram } from "../../src/setup/clients.ts";
import { snippet } from "../../src/setup/connect.ts";
import { installLinks, linkedClients } from "../../src/setup/deeplink.ts";
import { root } from "../_fixtures.ts";
import { climax, ends } from "../cli/commands/_climax.ts";

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

function printed(client: McpClientProgram, text: string, name = "climax"): unknown {
  return JSON.parse(text)[client.key][name];
}

const linked = clients.filter(({ name }) => linkedClients.includes(name));

for (const client of linked) {
  Deno.test(`connect ${client.name} --link decodes to what --print prints`, async () => {
    const words = [
      "connect",
      client.name,
      "git",
      "docker",
      "--classic",
      "--policy",
      "./é &+ü.yaml",
    ];
    const [link, print] = await Promise.all([
      climax([...words, "--link"]),
      climax([...words, "--print"]),
    ]);
    assert.equal(link.code, 0, link.stderr);
    const [line, ...rest] = link.stdout.split("\n");
    assert.deepEqual(rest, [""]);
    const { client: name, ...server } = decoded(line!);
    assert.equal(name, client.name);
    assert.deepEqual(server, { name: "climax", entry: printed(client, print.stdout) });
  });

  Deno.test(`both links of ${client.name} have the same entry`, () => {
    const { app, web } = installLinks(client, ["a b", "--c=d&e", "#"])!;
    assert.match(web, /^https:/);
    assert.deepEqual(decoded(web), decoded(app));
  });
}

const refused: [args: readonly string[], said: RegExp][] = [
  [
    ["zed", "git", "--link"],
    /^error: Zed has no links that add a server\n {2}hint: cursor and vscode/,
  ],
  [["cursor", "--link"], /config/i],
  [["cursor", "git", "--link", "--print"], /^error: --link excludes --remove and --print$/m],
  [["cursor", "--link", "--remove"], /^error: --link excludes --remove and --print$/m],
];

for (const [args, said] of refused) {
  Deno.test(`climax connect ${args.join(" ")} is refused`, async () => {
    await ends(climax(["connect", ...args]), { code: 2, stdout: "", stderr: said });
  });
}

Deno.test("the buttons of docs/install.md are those of deno task write, one for each client", async () => {
  const page = await Deno.readTextFile(join(root, "docs/install.md"));
  assert.equal(withButtons(page), page, "deno task write writes them");
  const links = [...page.matchAll(/\[\*\*Add to [^\]]+\*\*\]\(([^)]+)\)/g)].map(([, link]) =>
    link!
  );
  assert.deepEqual(
    links.map(decoded),
    linked.map((client) => ({
      client: client.name,
      name: "climax",
      entry: printed(client, snippet(client, buttonWords)),
    })),
  );
});
