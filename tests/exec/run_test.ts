/** Real programs that behave badly. What must not be waited for takes longer than any test waits. */

import assert from "node:assert/strict";
import { join } from "node:path";
import type { Invocation, RunOutcome } from "../../src/exec/invocation.ts";
import { holdInPlace } from "../../src/process/protected_paths.ts";
import { run as runProgram, type RunOptions } from "../../src/exec/run.ts";
import { flushBackground } from "../../src/exec/background_work.ts";
import { resetLog, setLogFile } from "../../src/log.ts";
import { within } from "../_wait.ts";
import { scratch } from "../e2e/_scratch.ts";
import { programs, unix } from "../_requirements.ts";

/** An hour, in milliseconds. */
const hourMs = 3_600_000;

function shell(script: string, rest: Partial<Invocation> = {}): Invocation {
  return { argv: ["sh", "-c", script], env: {}, timeoutMs: hourMs, ...rest };
}

/** Runs a program, with a grace of an hour unless `options` has another. */
async function run(invocation: Invocation, options: RunOptions = {}): Promise<RunOutcome> {
  const outcome = runProgram(invocation, { graceMs: hourMs, ...options });
  return await within(outcome, invocation.argv.join(" ").slice(0, 200));
}

unix.test("run() says how a program ended, what it wrote and how much", async () => {
  const { ending, stdout, stderr, created, durationMs } = await run(
    shell("printf 'h\\303\\251'; printf err >&2; exit 7"),
  );
  assert.deepEqual(ending, { kind: "exited", code: 7 });
  assert.equal(created, undefined);
  assert.deepEqual(stdout, { text: "hé", bytes: 3 });
  assert.deepEqual(stderr, { text: "err", bytes: 3 });
  assert.equal(durationMs > 0, true);
});

unix.test("run() passes an input to its end, in parts", async () => {
  for (const stdin of ["", "i", "é".repeat(100_000)]) {
    const { ending, stdout } = await run(shell("cat; echo end", { stdin }), { keepBytes: 2 ** 20 });
    assert.deepEqual([ending, stdout.text], [{ kind: "exited", code: 0 }, `${stdin}end\n`]);
  }
});

unix.test("run() is not held up by a program that never reads its input", async () => {
  const stdin = "x".repeat(5 * 1024 * 1024);
  const { ending, stdout } = await run(shell("echo done", { stdin }));
  assert.deepEqual(ending, { kind: "exited", code: 0 });
  assert.equal(stdout.text, "done\n");
});

unix.test("run() loses nothing that was written right before the end", async () => {
  const bytes = 1024 * 1024;
  const { stdout } = await run(shell(`head -c ${bytes} /dev/zero | tr '\\0' x`), {
    keepBytes: bytes,
  });
  assert.deepEqual([stdout.bytes, stdout.text.length], [bytes, bytes]);
  // 128 KiB of each end, where nobody asks for more
  for (const more of [0, 1]) {
    const { stdout } = await run(shell(`head -c ${bytes / 4 + more} /dev/zero | tr '\\0' x`));
    assert.equal(stdout.isCut ?? false, more === 1);
  }
});

unix.test("run() leaves a pipe that a background process keeps open", async () => {
  await using dir = await scratch();
  const [go, said] = [join(dir.path, "go"), join(dir.path, "said")];
  // A pipe that stays open is full soon, and the process waits
  const late = "while echo late; do :; done 2>/dev/null; echo closed > said";
  const script = `mkfifo go said; trap '' PIPE; (read line < go; ${late}) & echo first`;
  assert.equal((await run(shell(script, { cwd: dir.path }))).stdout.text, "first\n");
  const reading = Deno.readTextFile(said);
  await Deno.writeTextFile(go, "\n");
  assert.equal(await within(reading, "the word of the background process"), "closed\n");
});

const cleanups = [
  ["exit 0", false],
  ["kill -9 $$", false],
  ["exec sleep 60", true],
] as const;

for (const [script, isRun] of cleanups) {
  unix.test(`run() cleans up after '${script}': ${isRun}`, async () => {
    await using dir = await scratch();
    const [file, log] = [join(dir.path, "file"), join(dir.path, "log")];
    const clean = `cat > ${file}; echo "no $IT" >&2; exit 1`;
    const cleanup = { what: "it", argv: ["sh", "-c", clean] } as const;
    const timeoutMs = isRun ? 100 : 60_000;
    setLogFile(log);
    await run(shell(script, { cleanup, timeoutMs, env: { IT: "way" } }));
    await flushBackground();
    await run(shell(script, { cleanup: { ...cleanup, argv: [file] }, timeoutMs }));
    await flushBackground();
    resetLog();
    const found = await Deno.readTextFile(file).catch(() => undefined);
    // Its input ends at once
    assert.equal(found, isRun ? "" : undefined);
    assert.equal(/warning: it may still run: no way/.test(await Deno.readTextFile(log)), isRun);
    assert.equal(/may still run: .*denied/.test(await Deno.readTextFile(log)), isRun);
  });
}

Deno.test("run() starts nothing when the caller has given up before", async () => {
  await using dir = await scratch();
  const file = join(dir.path, "proof");
  const { ending, stdout } = await run(shell(`: > ${file}`), { signal: AbortSignal.abort() });
  assert.deepEqual(ending, { kind: "cancelled" });
  assert.deepEqual(stdout, { text: "", bytes: 0 });
  await assert.rejects(Deno.stat(file), Deno.errors.NotFound);
});

unix.test("run() starts nothing without a sandbox where one that has a sandbox may have put a repository", async () => {
  await using dir = await scratch({ "sub/.git/config": "", "other/file": "" });
  holdInPlace({ write: [dir.path], read: [] });
  const { ending } = await run({ ...shell(""), cwd: join(dir.path, "sub") });
  assert.equal(ending.kind === "not started" && ending.failure, "no sandbox");
  const other = await run({ ...shell(""), cwd: join(dir.path, "other") });
  assert.deepEqual(other.ending, { kind: "exited", code: 0 });
});

Deno.test(
  "run() adds nothing by git that nothing holds where the index has a repository of a sandbox",
  {
    ...await programs({ git: ["--version"] }),
  },
  async () => {
    await using dir = await scratch({ "held/sub/.git/HEAD": "", "held/none/file": "" });
    const git = async (...args: string[]) => {
      const options = { env: {}, timeoutMs: hourMs, cwd: dir.path };
      const { ending } = await run({ argv: ["git", ...args], ...options });
      return ending.kind === "not started" ? ending.failure : ending.kind;
    };
    const enter = ["update-index", "--add", "--cacheinfo"];
    await git("init", "--quiet");
    const commit = `160000,${"1".repeat(40)}`;
    assert.equal(await git(...enter, `${commit},held/none`), "exited");
    holdInPlace({ write: [join(dir.path, "held")], read: [] });
    assert.equal(await git("add", "--dry-run", "."), "exited");
    assert.equal(await git(...enter, `${commit},held/sub`), "exited");
    for (const command of ["add", "rm"]) {
      assert.equal(await git(command, "--dry-run", "."), "no sandbox", command);
    }
    assert.equal(await git("log"), "exited");
  },
);

const failures: readonly (readonly [failure: string, program: string, cwd: string | undefined])[] =
  [
    ["command not found", "climax-no-such-program", undefined],
    ["command not found", "climax-no-such-program", "."],
    ["command not found", "./none", "."],
    ["working directory not found", "true", "none"],
    ["working directory is no directory", "true", "file"],
    ["working directory is no directory", "true", "file/below"],
    ["not executable", "./file", "."],
    ["other", "./loop", "."],
  ];

for (const [failure, program, place] of failures) {
  unix.test(`run() starts no ${program} in ${place ?? "no directory"}: ${failure}`, async () => {
    await using dir = await scratch({ file: "" });
    await Deno.symlink("loop", join(dir.path, "loop"));
    const where = place === undefined ? {} : { cwd: join(dir.path, place) };
    const { ending } = await run({ argv: [program], env: {}, timeoutMs: hourMs, ...where });
    assert.equal(ending.kind === "not started" && ending.failure, failure);
  });
}

unix.test("run() discards the standard error that is not to be seen", async () => {
  const seen: string[] = [];
  const invocation = shell("echo out; echo err >&2; exit 3", { hidesStderr: true });
  const { ending, stdout, stderr } = await run(invocation, {
    onOutput: (_, stream) => seen.push(stream),
  });
  assert.deepEqual(ending, { kind: "exited", code: 3 });
  assert.equal(stdout.text, "out\n");
  assert.deepEqual(stderr, { text: "", bytes: 0 });
  assert.deepEqual(new Set(seen), new Set(["stdout"]));
});

unix.test("run() lets a program clean up when it is told to end", async () => {
  const stop = new AbortController();
  const script = "trap 'echo cleaned; exit 0' TERM; echo ready; while :; do sleep 0.05; done";
  const { ending, stdout } = await run(shell(script), {
    signal: stop.signal,
    onOutput: () => stop.abort(),
  });
  assert.deepEqual(ending, { kind: "cancelled" });
  assert.equal(stdout.text, "ready\ncleaned\n");
});
