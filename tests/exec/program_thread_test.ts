/** Programs whose pipes a worker reads: as those of `Deno.Command`, in as far as they are used. */

import assert from "node:assert/strict";
import { startInThread } from "../../src/exec/program_thread.ts";

const text = (stream: ReadableStream<Uint8Array>) => new Response(stream).text();

Deno.test("startInThread() passes input and output, and the end", async () => {
  const code = "const all = await new Response(Deno.stdin.readable).text();" +
    "console.log(all.length); console.error('done'); Deno.exit(7)";
  const program = await startInThread(Deno.execPath(), { args: ["eval", code] });
  const writer = program.stdin.getWriter();
  for (let count = 0; count < 4; count++) await writer.write(new Uint8Array(50_000).fill(120));
  await writer.close();
  assert.equal(await text(program.stdout), "200000\n");
  assert.equal(await text(program.stderr), "done\n");
  assert.equal((await program.status).code, 7);
  program.release();
});

Deno.test("startInThread() reads no faster than its caller, and ends the streams on release", async () => {
  const program = await startInThread(Deno.execPath(), {
    args: ["eval", "console.log(Deno.pid); await Deno.stdin.readable.getReader().read()"],
  });
  const reader = program.stdout.getReader();
  assert.equal(new TextDecoder().decode((await reader.read()).value).trim(), String(program.pid));
  program.kill("SIGKILL");
  assert.equal((await program.status).success, false);
  const last = reader.read();
  program.release();
  assert.equal((await last).done, true);
  const writer = program.stdin.getWriter();
  await assert.rejects(writer.write(new Uint8Array(1)), Deno.errors.BrokenPipe);
  assert.equal(await text(program.stderr), "");
});

Deno.test("startInThread() throws what Deno throws", async () => {
  const failing = startInThread("climax-no-such-program", {});
  await assert.rejects(failing, Deno.errors.NotFound);
  await assert.rejects(failing, { code: "ENOENT" });
});

Deno.test("startInThread() reports a worker that fails: no start, or an end without success", async () => {
  const { postMessage, terminate } = Worker.prototype;
  const workers: Worker[] = [];
  let ended = 0;
  let isBroken = true;
  Worker.prototype.postMessage = function (request: unknown) {
    if (!workers.includes(this)) workers.push(this);
    postMessage.call(this, isBroken ? null : request);
  };
  Worker.prototype.terminate = function () {
    ended++;
    terminate.call(this);
  };
  try {
    await assert.rejects(startInThread(Deno.execPath(), {}), /null/);
    assert.equal(ended, 1);
    isBroken = false;
    // It ends with its input, which ends with the worker
    const program = await startInThread(Deno.execPath(), {
      args: ["eval", "await Deno.stdin.readable.getReader().read()"],
    });
    workers[1]!.postMessage(null);
    assert.deepEqual(await program.status, { success: false, code: 1, signal: null });
    // A write that waits is broken
    const writer = program.stdin.getWriter();
    const writing = assert.rejects(writer.write(new Uint8Array(1)), Deno.errors.BrokenPipe);
    program.release();
    await writing;
  } finally {
    Object.assign(Worker.prototype, { postMessage, terminate });
  }
});
