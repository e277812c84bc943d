/** Two clients over HTTP, one of which takes all it can get: the other has its part all the same. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { post } from "../../server/http/_server.ts";
import { type HttpProcess, startHttpProcess } from "../../e2e/_http.ts";
import { until } from "../../_wait.ts";
import { type Scratch, scratch } from "../../e2e/_scratch.ts";
import { plainTool, writeWorks } from "./_works.ts";
import { newToken } from "../../e2e/_token.ts";
import { unix } from "../../_requirements.ts";

/** Calls a tool as somebody. */
type Call = (tool: string, args?: object) => Promise<string>;

/** A server in a directory, and two who may call. */
interface Place extends AsyncDisposable {
  readonly path: string;
  readonly greedy: Call;
  readonly modest: Call;
}

async function place(...words: string[]): Promise<Place> {
  const dir = await scratch();
  const ragged =
    "{ name: ragged, command: cat ragged.csv, output: csv, select: [a], effect: read }";
  const path = await writeWorks(dir.path, plainTool, ragged);
  await Deno.writeTextFile(join(dir.path, "ragged.csv"), `a,b\n${"a\n".repeat(2_000_000)}`);
  const tokens = join(dir.path, "tokens");
  const secrets = [await newToken(tokens, "greedy"), await newToken(tokens, "modest")] as const;
  const server = startHttpProcess([path, "--tokens", tokens, ...words]);
  const [greedy, modest] = secrets.map((secret) => callWith(server, secret)) as [Call, Call];
  return { path: dir.path, greedy, modest, [Symbol.asyncDispose]: () => end(dir, server) };
}

async function end(dir: Scratch, server: HttpProcess): Promise<void> {
  await server[Symbol.asyncDispose]();
  await dir[Symbol.asyncDispose]();
}

function callWith(server: HttpProcess, secret: string): Call {
  return async (tool_name, args = {}) => {
    const params = { name: "climax_call", arguments: { tool_name, args } };
    const headers = { authorization: `Bearer ${secret}` };
    const answer = await post(await server.url(), "tools/call", params, headers);
    const { result, error } = await answer.json();
    return result?.content.map(({ text }: { text: string }) => text).join("\n") ?? error.message;
  };
}

/** Says that it runs, and ends when it may. */
const waits = "echo > run-$$; while [ ! -e go ]; do sleep 0.05; done; echo whole";

function running(path: string): number {
  return [...Deno.readDirSync(path)].filter(({ name }) => name.startsWith("run-")).length;
}

async function go(path: string): Promise<void> {
  await Deno.writeTextFile(join(path, "go"), "");
}

unix.test("one client's programs leave places to run to another", async () => {
  await using here = await place("--concurrency", "8");
  const held = Array.from({ length: 20 }, () => here.greedy("plain", { script: waits }));
  await until(() => running(here.path) === 4, "the share of --concurrency");
  assert.equal(await here.modest("plain", { script: "echo free" }), "free");
  assert.equal(running(here.path), 4);
  await go(here.path);
  assert.deepEqual([...new Set(await Promise.all(held))], ["whole"]);
});

unix.test("one client's hostile output holds no other client up", async () => {
  let answered = 0;
  let hostile: Promise<void>[];
  {
    await using here = await place();
    // Each takes five seconds, which is the bound for reading rows
    hostile = [1, 2, 3, 4].map(async () => {
      await here.greedy("ragged").catch(() => "the server has ended");
      answered++;
    });
    for (let count = 0; count < 6; count++) {
      assert.equal(await here.modest("plain", { script: "echo free" }), "free");
    }
    // Held up, it would get a word in between any two of them, and all would be answered
    assert.ok(answered < hostile.length, `${answered} answers`);
  }
  await Promise.all(hostile);
});
