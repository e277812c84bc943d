/** The tools of MCP servers through the program: real clients on one side, real servers on the other. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { configText, npmServer, odd, type ServerSketch } from "../_upstream.ts";
import { processTools } from "../_requirements.ts";
import { connect } from "./_clients.ts";
import { runningWith } from "./_processes.ts";
import { isAlive, until } from "../_wait.ts";
import { scratch } from "./_scratch.ts";

async function configIn(dir: string, servers: readonly ServerSketch[]): Promise<string> {
  const file = join(dir, "tamamo-x.config.json");
  await Deno.writeTextFile(file, configText(servers));
  return file;
}

const cacheIn = (dir: string) => ({ env: { CLIMAX_CACHE_DIR: join(dir, "cache") } });

Deno.test("a server's tools are found and called beside a program's", async () => {
  await using dir = await scratch({ "hello.txt": "hello\n" });
  const command = await npmServer("filesystem");
  const files = { name: "files", transport: "stdio", command, args: [dir.path] } as const;
  const file = await configIn(dir.path, [files]);
  await using client = await connect(["git", "--mcp", file], cacheIn(dir.path));
  assert.match(client.instructions!, /files/);
  const found = await client.call("climax_search", { query: "read a text file" });
  const [first] = JSON.parse(found.text).results;
  assert.equal(first.cli_name, "files");
  assert.equal(first.input_schema.properties.path.type, "string");
  const called = await client.call("climax_call", {
    tool_name: "files__read_text_file",
    args: { path: join(dir.path, "hello.txt") },
  });
  assert.deepEqual(called, {
    text: "hello\n",
    isError: false,
    structured: { content: "hello\n" },
  });
  const wrong = { tool_name: "files__read_text_file", args: {} };
  assert.deepEqual(await client.call("climax_call", wrong), {
    text: "Argument validation failed:\n  - Missing required argument 'path'",
    beside: ["Takes: files__read_text_file(path, tail?: number, head?: number)"],
    isError: true,
  });
});

processTools.test("nothing of a server is left when the client goes", async () => {
  await using dir = await scratch();
  const pidFile = join(dir.path, "pid");
  const file = await configIn(dir.path, [odd("odd", "family", pidFile)]);
  {
    await using client = await connect(["--mcp", file], cacheIn(dir.path));
    await client.call("climax_call", { tool_name: "odd__echo", args: { text: "hi" } });
    assert.equal(runningWith(pidFile).length, 1);
  }
  assert.equal(isAlive(Number(await Deno.readTextFile(pidFile))), false);
  await until(() => runningWith(pidFile).length === 0 || undefined, "the server ends");
});
