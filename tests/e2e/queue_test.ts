/** Calls that wait for others: in order, cancellable, on time, and never in the way of a search. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { unix } from "../_requirements.ts";
import type { RawServer } from "./_raw.ts";
import { answered, answerTo, callMess, sendCall, startMess } from "./_mess.ts";
import { textIn, until } from "../_wait.ts";
import { scratch } from "./_scratch.ts";

/** Calls that write their name to a file when they start, and end when another file is there. */
async function hold(
  server: RawServer,
  dir: string,
  id: string,
  tool = "wait_for",
  go = "go",
): Promise<void> {
  await sendCall(server, id, tool, { file: join(dir, go), log: join(dir, "log"), name: id });
}

async function started(dir: string, count: number): Promise<string[]> {
  return await until(() => {
    const names = startedSoFar(dir);
    return names.length >= count ? names : undefined;
  }, `the start of ${count} calls`);
}

function startedSoFar(dir: string): string[] {
  return textIn(join(dir, "log"))?.split("\n") ?? [];
}

unix.test("one at a time: in order, without who gave up", async () => {
  await using dir = await scratch();
  await using server = await startMess({ args: ["--concurrency", "1"] });
  const ids = ["a", "b", "c", "d", "e"];
  for (const id of ids) await hold(server, dir.path, id);
  await started(dir.path, 1);
  await server.cancel("c");

  // All places are taken, and neither a search nor a refusal takes one
  const found = await server.call("climax_search", { query: "fork" });
  assert.equal(JSON.parse(found.text).mode, "search");
  assert.match((await callMess(server, "no_such_tool")).text, /^Unknown tool/);
  assert.deepEqual(startedSoFar(dir.path), ["a"]);

  await Deno.writeTextFile(join(dir.path, "go"), "");
  for (const id of ["a", "b", "d", "e"]) assert.equal(await answerTo(server, id), "(no output)");
  assert.deepEqual(startedSoFar(dir.path), ["a", "b", "d", "e"]);
  assert.deepEqual(answered(server).filter((id) => ids.includes(id as string)), [
    "a",
    "b",
    "d",
    "e",
  ]);
});

unix.test("a timeout counts from the start, not from the arrival", async () => {
  await using dir = await scratch();
  await using server = await startMess({ args: ["--concurrency", "1"] });
  await Deno.writeTextFile(join(dir.path, "go"), "");
  // Both have arrived at once. The first waits until its time is over, the second for nothing
  await hold(server, dir.path, "a", "wait_for_briefly", "never");
  await hold(server, dir.path, "b", "wait_for_briefly");
  assert.match(await answerTo(server, "a"), /Command timed out after /);
  assert.equal(await answerTo(server, "b"), "(no output)");
  assert.deepEqual(startedSoFar(dir.path), ["a", "b"]);
});
