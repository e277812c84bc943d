/** The log is a setting of the process, so each case runs in a process of its own. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { scratch } from "./e2e/_scratch.ts";

const module = new URL("../src/log.ts", import.meta.url).href;
const stamp = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;

/** Runs `statements` with what log.ts exports in scope. */
async function logged(statements: string) {
  const code =
    `const { log, say, setLogLevel, setLogFile } = await import("${module}"); ${statements}`;
  const command = new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-config", "--ext=ts", code],
    stdin: "null",
  });
  const { stdout, stderr, success } = await command.output();
  const decoder = new TextDecoder();
  return { stdout: decoder.decode(stdout), stderr: decoder.decode(stderr), success };
}

Deno.test("log() writes stamped lines on stderr, warnings and worse, and nothing on stdout", async () => {
  const { stdout, stderr } = await logged(
    `for (const level of ["debug", "info", "warning", "error"]) log(level, "at " + level);`,
  );
  assert.equal(stdout, "");
  assert.match(stderr, new RegExp(`^${stamp} warning: at warning\n${stamp} error: at error\n$`));
});

Deno.test("setLogLevel() lets lower levels through", async () => {
  const { stderr } = await logged(`setLogLevel("debug"); log("debug", "here");`);
  assert.match(stderr, new RegExp(`^${stamp} debug: here\n$`));
});

Deno.test("log() marks each line of a message, so that none can be forged", async () => {
  const { stderr } = await logged(
    String.raw`log("error", "one\n2000-01-01T00:00:00.000Z info: forged\rover\x1b[2Jgone\x00");`,
  );
  const forged = String.raw`2000-01-01T00:00:00\.000Z info: forged\\x0dover\\x1b\[2Jgone\\x00`;
  assert.match(stderr, new RegExp(`^${stamp} error: one\n${stamp} error\\| ${forged}\n$`));
});

Deno.test("setLogFile() appends the same lines to a file", async () => {
  await using dir = await scratch({ "climax.log": "before\n" });
  const file = join(dir.path, "climax.log");
  const { stderr } = await logged(
    `setLogFile(${JSON.stringify(file)}); log("info", "no"); log("error", "é");`,
  );
  assert.match(stderr, new RegExp(`^${stamp} error: é\n$`));
  assert.equal(await Deno.readTextFile(file), `before\n${stderr}`);
});

Deno.test("setLogFile() throws when the file cannot be opened", async () => {
  const { success, stderr } = await logged(`setLogFile("/no/such/folder/climax.log");`);
  assert.equal(success, false);
  assert.match(stderr, /NotFound/);
});

Deno.test({
  name: "log() goes on with stderr when the file cannot be written",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const { success, stderr } = await logged(
      `setLogFile("/dev/full"); log("error", "one"); log("error", "two");`,
    );
    assert.equal(success, true);
    const lines = stderr.trimEnd().split("\n").map((line) => line.replace(/^\S+ /, ""));
    assert.equal(lines.length, 3);
    assert.equal(lines[0], "error: one");
    assert.match(lines[1]!, /^error: Log file is not written any more: /);
    assert.equal(lines[2], "error: two");
  },
});

Deno.test("log() cuts a message that is too long", async () => {
  const { stderr } = await logged(`log("error", "x".repeat(20_000));`);
  assert.match(stderr, new RegExp(`^${stamp} error: x{16384}…\n$`));
});

Deno.test("say() and log() keep their order", async () => {
  const { stderr } = await logged(
    `for (let number = 0; number < 100; number++) { say("said " + number); log("error", "logged " + number); }`,
  );
  const words = stderr.trimEnd().split("\n").map((line) => line.replace(/^\S+ error: /, ""));
  const numbers = Array.from({ length: 100 }, (_, number) => number);
  assert.deepEqual(words, numbers.flatMap((number) => [`said ${number}`, `logged ${number}`]));
});

Deno.test("log() drops what nobody reads, counts it, and blocks nobody", async () => {
  const lines = 40;
  const code = `const { log, say } = await import("${module}");
    for (let number = 0; number < ${lines}; number++) log("error", "x".repeat(16_000));
    say("never dropped");
    await Deno.stdout.write(new TextEncoder().encode("alive\\n"));`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-config", "--ext=ts", code],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  // Nothing is read from stderr until this has come
  assert.equal((await reader.read()).value, "alive\n");
  await reader.cancel();
  const stderr = await new Response(child.stderr).text();
  await child.status;
  const kept = stderr.match(/error: x/g)!.length;
  const dropped = Number(
    /(\d+) log messages dropped: stderr was not read in time/.exec(stderr)![1],
  );
  assert.equal(kept + dropped, lines);
  assert.equal(kept > 10 && dropped > 10, true, `${kept} kept, ${dropped} dropped`);
  assert.match(stderr, /\nnever dropped\n/);
});
