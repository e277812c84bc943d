/** Calls that go on behind their answers, through the real program: they are looked after, and they end. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { processTools } from "../../_requirements.ts";
import { callerIn, clientsInModes } from "../../e2e/_clients.ts";
import { type RawServer, startRaw } from "../../e2e/_raw.ts";
import { isAlive, pidIn, scaled } from "../../_wait.ts";
import { type Scratch, scratch } from "../../e2e/_scratch.ts";
import { jobIdIn, plainTool, waits, writeWorks } from "./_works.ts";
import { climaxProcess, ends } from "../../cli/commands/_climax.ts";

/** A short call ends within this time, and the others print their first line. */
const afterSeconds = String(scaled(400) / 1000);

/** A directory with the config, which programs run in. */
async function place(): Promise<Scratch & { readonly config: string }> {
  const dir = await scratch();
  return Object.assign(dir, { config: await writeWorks(dir.path, plainTool) });
}

for (const [what, connectWith, mode] of clientsInModes) {
  processTools.test(`${what}, ${mode}: a call goes on and is looked after`, async () => {
    await using dir = await place();
    const words = [
      dir.config,
      "--background-after",
      afterSeconds,
      ...mode === "classic" ? ["--classic"] : [],
    ];
    await using client = await connectWith(words);
    const call = callerIn(mode, client);
    assert.equal((await client.list()).length, 2);
    assert.match((await call("job_list")).text, /^Unknown tool: job_list/);
    assert.equal((await call("plain", { script: "echo quick" })).text, "quick");

    const back = jobIdIn((await call("back", { script: waits })).text);
    const soft = await call("plain", { script: waits });
    assert.match(soft.text, /^\[last line: "half"\]\n/);
    // Clients of 2026-07-28 go by the list they have, unless they subscribe
    if (!what.includes("2026")) {
      assert.equal((await client.list()).length, mode === "classic" ? 6 : 2);
    }
    if (mode === "discovery") {
      const { text } = await client.call("climax_search", { query: "is it still running" });
      assert.match(text, /"tool_name":"job_status"/);
    }
    const waiting = call("job_result", { id: back, wait: 100 });
    await Deno.writeTextFile(join(dir.path, "go"), "");
    assert.equal((await waiting).text, "half\nwhole");
    assert.equal(
      (await call("job_result", { id: jobIdIn(soft.text), wait: 100 })).text,
      "half\nwhole",
    );
    assert.match(
      (await call("job_status", { id: back })).text,
      /^\[back has finished after \S+ s: /,
    );
    assert.match(
      (await call("job_list")).text,
      /^j\w+ finished back \S+ s\nj\w+ finished plain /,
    );

    const other = jobIdIn((await call("back", { script: "exec sleep 3600" })).text);
    assert.match((await call("job_cancel", { id: other })).text, /^\[back was cancelled after /);
    assert.equal((await call("job_result", { id: "j1" })).isError, true);
  });
}

/** A server with a job whose tree has two sessions, on macOS one; the pids of its programs. */
async function withJob(
  dir: Scratch & { readonly config: string },
  env: Readonly<Record<string, string>> = {},
): Promise<[RawServer, number[]]> {
  const server = startRaw([dir.config, "--classic"], { env });
  await server.initialize();
  const other = Deno.build.os === "darwin" ? "sleep" : "setsid sleep";
  const script =
    `sleep 3600 & echo $! > child; ${other} 3600 & echo $! > other; echo $$ > own; wait`;
  jobIdIn((await server.call("back", { script })).text);
  const pids = await Promise.all(
    ["own", "child", "other"].map((name) => pidIn(join(dir.path, name))),
  );
  assert.deepEqual(pids.map(isAlive), [true, true, true]);
  return [server, pids];
}

const endings: readonly [what: string, end: (server: RawServer) => Promise<void> | void][] = [
  ["stdin closes", (server) => server.closeInput()],
  ["it gets SIGTERM", (server) => server.kill("SIGTERM")],
  ["it gets SIGINT", (server) => server.kill("SIGINT")],
];

for (const [what, end] of endings) {
  processTools.test(`jobs end with the server when ${what}`, async () => {
    await using dir = await place();
    const [server, pids] = await withJob(dir);
    await using _ = server;
    await end(server);
    assert.equal((await server.ended()).code, 0);
    assert.deepEqual(pids.map(isAlive), [false, false, false]);
  });
}

processTools.test("climax call waits for the end, whatever a tool says", async () => {
  await using dir = await place();
  const words = ["call", dir.config, "--", "back", "script=sleep 0.1; echo end"];
  await ends(climaxProcess(words), { code: 0, stdout: "end\n" });
});
