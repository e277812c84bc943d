/** A server behind climax that does what it likes: what of it others notice, and what an agent reads. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { configText, odd } from "../../_upstream.ts";
import { connect } from "../../e2e/_clients.ts";
import { type Scratch, scratch } from "../../e2e/_scratch.ts";

/** A pattern that takes seconds on 9,000 characters. */
const costly = `(?:${Array.from({ length: 60 }, (_, at) => `a{1,40}b${at}`).join("|")})`;

/** A project whose server defines `tools`, and what to start with. */
async function projectWith(dir: Scratch, tools: readonly object[]) {
  const [defined, file] = [join(dir.path, "tools.json"), join(dir.path, "tamamo-x.config.json")];
  await Deno.writeTextFile(defined, JSON.stringify(tools));
  await Deno.writeTextFile(file, configText([odd("odd", "defined", defined)]));
  return { file, env: { CLIMAX_CACHE_DIR: join(dir.path, "cache") } };
}

const object = { type: "object" } as const;

Deno.test("a server's patterns are not matched for long, and others are answered", async () => {
  await using dir = await scratch();
  const properties = {
    text: { type: "string", allOf: Array(8).fill({ pattern: costly }) },
    kind: { type: "string", pattern: "^[a-z]+$" },
  };
  const { file, env } = await projectWith(dir, [
    { name: "echo", inputSchema: { ...object, properties } },
  ]);
  await using client = await connect(["coreutils", "--mcp", file], { env });
  const call = (text: string, kind = "plain") => {
    return client.call("climax_call", { tool_name: "odd__echo", args: { text, kind } });
  };
  // As often as takes minutes where each is matched
  const texts = await Promise.all(Array.from({ length: 10 }, () => call("a".repeat(9000))));
  for (const { text, isError } of texts) assert.deepEqual([text.length, isError], [9000, false]);
  assert.equal((await call(`${"a".repeat(5)}b3`)).isError, false);
  // Patterns are left to the server, and this one has none
  assert.equal((await call("aab3", "PLAIN")).isError, false);
});
