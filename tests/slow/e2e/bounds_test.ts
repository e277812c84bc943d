/** Outputs, inputs and variables of a command are bounded, clean and told apart. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { climaxProcess } from "../../cli/commands/_climax.ts";
import { linux, processTools } from "../../_requirements.ts";
import { isAlive, pause, scaledSeconds, until } from "../../_wait.ts";
import type { RawServer } from "../../e2e/_raw.ts";
import { answerTo, callMess, idsIn, sendCall, startMess } from "../../e2e/_mess.ts";
import { endProcess, openFilesOf, residentKib } from "../../e2e/_processes.ts";
import { scratch } from "../../e2e/_scratch.ts";

const line = "the quick brown fox jumps over the lazy dog\n";
const omittedBytes = /\n\[… (\d{1,3}(?:,\d{3})*) bytes omitted …\]\n/;
const omitted = /\n\[… (\d{1,3}(?:,\d{3})*) lines, [\d,]+ bytes omitted: output_read [^\]]*\]\n/;

processTools.test("a flood costs neither memory nor the time of others", async () => {
  await using server = await startMess();
  const alone: number[] = [];
  for (let round = 0; round < 30; round++) alone.push(await msOfSay(server));
  // Once for all floods, V8 spends some 10 MiB on compiling what reads them
  await callMess(server, "flood_briefly");
  const before = residentKib(server.pid);
  let most = before;
  const beside: number[] = [];

  await sendCall(server, "flood", "flood");
  let flooding = true;
  const answer = answerTo(server, "flood").finally(() => flooding = false);
  while (flooding) {
    const ms = await msOfSay(server);
    if (flooding) beside.push(ms);
    for (let sample = 0; sample < 5; sample++) {
      most = Math.max(most, residentKib(server.pid));
      await Promise.race([answer, pause(50)]);
    }
  }
  const text = await answer;
  const missing = Number(omitted.exec(text)?.[1]?.replaceAll(",", ""));
  const grown = Math.round((most - before) / 1024);
  assert.ok(missing > 5e4, text.slice(-200));
  // 16 MiB of room for new objects may fill, 4 MiB of output are kept; the flood has hundreds
  assert.ok(grown < 40, `${grown} MiB more than ${before} KiB`);
  // Held up, none would be answered before the flood ends, or each would take its turn
  assert.ok(medianOf(beside) < 100 * medianOf(alone), `${beside} ms, ${alone} ms alone`);
  assert.ok(text.startsWith(line) && text.length < 300 * 1024, `${text.length} characters`);
  const ending = `[stderr]\nCommand timed out after ${scaledSeconds(2)}s\n\n[exit code: -1]`;
  assert.equal(text.slice(-ending.length), ending);
});

/** Milliseconds of a short call, to be compared with others in the same run. */
async function msOfSay(server: RawServer): Promise<number> {
  const begin = performance.now();
  await callMess(server, "say");
  return performance.now() - begin;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

processTools.test("--max-output bounds each end of each stream", async () => {
  await using server = await startMess({ args: ["--max-output", "1"] });
  const [head, , rest] = (await callMess(server, "flood_briefly")).text.split(omittedBytes);
  assert.equal(head, line.repeat(24).slice(0, 1024));
  // The last line end is not shown
  assert.match(rest!, /^[^]{1023,1024}\n\n\[stderr\]/);
});

processTools.test("an input that a background process holds unread is let go", async () => {
  await using server = await startMess();
  const input = "x".repeat(1_000_000);
  const { text, isError } = await callMess(server, "background_input", { input });
  const { background } = idsIn(text);
  try {
    assert.equal(isError, false);
    assert.equal(isAlive(background!), true);
  } finally {
    endProcess(background!);
  }
});

linux.test("a call leaves no file open, whichever process holds it", async () => {
  await using server = await startMess();
  await callMess(server, "say");
  const before = openFilesOf(server.pid);
  const { background } = idsIn((await callMess(server, "background")).text);
  try {
    await callMess(server, "say");
    // A listing of the processes may be under way, now or when it was counted
    const same = () => openFilesOf(server.pid) <= before || undefined;
    assert.ok(await until(same, "as few open files as before"));
  } finally {
    endProcess(background!);
  }
});

processTools.test("a server out of file descriptors says so, and recovers", async () => {
  await using dir = await scratch();
  const [file, log] = [join(dir.path, "go"), join(dir.path, "log")];
  await using server = await startMess({ openFiles: 64, args: ["--concurrency", "64"] });
  const ids = Array.from({ length: 40 }, (_, number) => `call ${number}`);
  for (const id of ids) await sendCall(server, id, "wait_for", { file, log, name: id });
  const failure =
    "Command could not be started: this server is out of file descriptors, try again later";
  await server.message(({ result }) => result?.content?.[0].text === failure);
  await Deno.writeTextFile(file, "");
  const texts = await Promise.all(ids.map((id) => answerTo(server, id)));
  for (const text of texts) assert.ok(text === "(no output)" || text === failure, text);
  assert.ok(texts.includes("(no output)"));
  assert.equal((await callMess(server, "say")).text, "hello");
});

Deno.test("a process ends by itself once its script has ended by its bound", async () => {
  const code = "code=[].lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)";
  const ran = await climaxProcess(["call", "--scripts", "git", "--", "script_run", code]);
  assert.equal(ran.code, 1);
  assert.match(ran.stdout, /^Script failed: It computes for more than 10 seconds/);
});
