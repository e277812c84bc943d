/** The tools of MCP servers through the program: real clients on one side, real servers on the other. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { configText, modern, npmServer, odd, type ServerSketch } from "../_upstream.ts";
import { processTools } from "../_requirements.ts";
import { connect } from "./_clients.ts";
import { runningWith } from "./_processes.ts";
import { isAlive, until } from "../_wait.ts";
import { scratch } from "./_scratch.ts";
import { climax, environment } from "./_server.ts";

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

Deno.test("classic mode lists a server's tools as they are", async () => {
  await using dir = await scratch();
  const command = await npmServer("everything");
  const file = await configIn(dir.path, [{ name: "e", transport: "stdio", command }]);
  await using client = await connect(["--mcp", file, "--classic"], cacheIn(dir.path));
  const echo = (await client.list()).find((tool) => tool.name === "e__echo")!;
  assert.equal((echo.annotations as { readOnlyHint?: boolean }).readOnlyHint, true);
  assert.equal((await client.call("e__echo", { message: "hi" })).text, "Echo: hi");
});

/** A client of the v2 SDK with a person behind it. */
async function withPerson(
  args: readonly string[],
  dir: string,
  answer: object,
) {
  const [command, ...words] = climax("run", ...args);
  const { env } = cacheIn(dir);
  const transport = new StdioV2({ command, args: words, env: environment(env), stderr: "ignore" });
  const client = new ClientV2({ name: "climax-tests", version: "1.0.0" }, {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: "auto" },
  });
  const asked: string[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params.message);
    return answer as { action: "accept" };
  });
  await client.connect(transport);
  return { client, asked, [Symbol.asyncDispose]: () => client.close() };
}

Deno.test("a question of a server reaches the person, across eras", async () => {
  await using dir = await scratch();
  const file = await configIn(dir.path, [odd("old", "plain"), modern("new")]);
  const args = ["--mcp", file, "--classic"];
  const answer = { action: "accept", content: { name: "Ada" } };
  await using person = await withPerson(args, dir.path, answer);
  for (const name of ["old__ask", "new__greet"]) {
    const result = await person.client.callTool({ name, arguments: {} });
    assert.match(JSON.stringify(result.content), /Ada/);
  }
  assert.deepEqual(person.asked, [
    "Server 'old' asks:\n| Your name?",
    "Server 'new' asks:\n| Your name?",
  ]);
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
