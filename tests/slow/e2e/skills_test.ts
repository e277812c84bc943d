/** Skills over MCP through the program, read by the SDK's own client, which verifies every file. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { configText, skilled } from "../../_upstream.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { climax, environment } from "../../e2e/_server.ts";

interface Peer extends AsyncDisposable {
  readonly client: Client;
  readonly skills: SkillsClient;
}

async function connected(
  words: readonly string[],
  dir: string,
  mode: "auto" | "legacy" = "auto",
  cwd?: string,
): Promise<Peer> {
  const [command, ...args] = climax("run", ...words);
  const env = environment({ CLIMAX_CACHE_DIR: join(dir, "cache") });
  const client = new Client({ name: "climax-tests", version: "1.0.0" }, {
    versionNegotiation: { mode },
  });
  const process = { command, args, env, stderr: "ignore", ...(cwd && { cwd }) } as const;
  await client.connect(new StdioClientTransport(process));
  return { client, skills: new SkillsClient(client), [Symbol.asyncDispose]: () => client.close() };
}

Deno.test("skills of servers pass", async () => {
  const servers = [skilled("one"), skilled("two")];
  await using dir = await scratch({
    "tamamo-x.config.json": configText(servers),
  });
  const file = join(dir.path, "tamamo-x.config.json");
  await using peer = await connected(["--mcp", file], dir.path);
  const { skills: entries } = await peer.skills.list();
  assert.deepEqual(entries.map(({ uri }) => uri), [
    "one+skill://refunds/SKILL.md",
    "two+skill://refunds/SKILL.md",
  ]);
  for (const [at, who] of ["one", "two"].entries()) {
    const entry = entries[at]!;
    assert.equal(entry.frontmatter.description, `Refunds of ${who}`);
    assert.equal((await peer.skills.read(entry)).verified, true);
    const form = await peer.skills.read(entry, "forms/a.md");
    assert.equal(form.text!.startsWith(`\u001b[31m${who}`), true);
    assert.equal((await peer.skills.read(entry, "logo.png")).bytes.length, 6);
    assert.deepEqual((await peer.skills.get(entry.uri)).skill, entry);
  }
  await assert.rejects(peer.skills.get("one+skill://nothing/SKILL.md"), { code: -32602 });
});
