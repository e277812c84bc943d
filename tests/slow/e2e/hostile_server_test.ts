/** A server behind climax that does what it likes: what of it others notice, and what an agent reads. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { configText, odd } from "../../_upstream.ts";
import { connect } from "../../e2e/_clients.ts";
import { type Scratch, scratch } from "../../e2e/_scratch.ts";
import { onTerminal, terminal } from "../../cli/_terminal.ts";
import { climaxProcess } from "../../cli/commands/_climax.ts";

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

Deno.test("a catalogue over the bound is served without what is over, and that is said", async () => {
  await using dir = await scratch();
  const words = Array.from({ length: 40_000 }, (_, at) => `w${at}`).join(" ");
  const tools = Array.from({ length: 40 }, (_, at) => ({
    name: `t${at}`,
    description: words.replaceAll("w", `z${at}w`).slice(0, 250_000),
    inputSchema: object,
  }));
  const { file, env } = await projectWith(dir, tools);
  const { stderr } = await climaxProcess(["list", "--mcp", file, "--json"], { env });
  assert.match(stderr, /Server 'odd': 24 tools left out: its definitions have over 4 MiB together/);
  await using client = await connect(["coreutils", "--mcp", file], { env });
  assert.match((await client.call("climax_search", { query: "print a file" })).text, /"cat"/);
  const served = await client.call("climax_call", { tool_name: "odd__t15", args: {} });
  assert.match(served.text, /Server 'odd' refused/);
  const missing = await client.call("climax_call", { tool_name: "odd__t16", args: {} });
  assert.match(missing.text, /Unknown tool: odd__t16/);
});

const steering = {
  name: "steer",
  title: "Steers\x1b[2J",
  description: "Steers \x1b]0;title\x07the terminal\x9b31m",
  inputSchema: {
    ...object,
    properties: { how: { type: "string", description: "How\x1b[5m", enum: ["answer", "refuse"] } },
  },
};

// deno-lint-ignore no-control-regex
const control = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;

Deno.test("what a server says steers no terminal", async () => {
  await using dir = await scratch();
  const { file, env } = await projectWith(dir, [steering]);
  await using client = await connect(["--mcp", file], { env });
  const found = await client.call("climax_search", { query: "steers" });
  assert.doesNotMatch(found.text, control);
  // As JSON has them
  assert.doesNotMatch(found.text, /\\u00[01]/);
  assert.match(found.text, /Steers the terminal/);
  const answered = await client.call("climax_call", { tool_name: "odd__steer" });
  assert.doesNotMatch(JSON.stringify(answered), /\\u00|\x7f|[\x80-\x9f]/);
  assert.match(answered.text, /^done/);
  const args = { how: "refuse" };
  const refused = await client.call("climax_call", { tool_name: "odd__steer", args });
  assert.deepEqual(refused, { text: "Server 'odd' refused: done", isError: true });
});

terminal.test("climax call shows a terminal what a server says without its control sequences", async () => {
  await using dir = await scratch();
  const { file, env } = await projectWith(dir, [steering]);
  // The line with the seconds of a call that takes long is climax's own
  const words = ["call", "odd__steer", "--mcp", file];
  const shown = await onTerminal(words, { env, behind: "2> /dev/null" });
  assert.match(shown, /^done/m);
  assert.doesNotMatch(shown, control);
});
