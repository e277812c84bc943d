/** How calls in a sandbox end: what their programs are told, and what becomes of protected names that they created. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { flushBackground } from "../../src/exec/background_work.ts";
import { startChildServer } from "../../src/exec/child_server.ts";
import { run, type RunOptions } from "../../src/exec/run.ts";
import { holdInPlace, openingsEnded, protect } from "../../src/process/protected_paths.ts";
import { resetLog, setLogFile } from "../../src/log.ts";
import type { Sandbox } from "../../src/exec/sandbox_view.ts";
import { exists } from "../e2e/_scratch.ts";
import { place, sandboxed } from "../_sandbox.ts";
import { FakeClock } from "../_clock.ts";
import { withVariables } from "../_io.ts";
import { until } from "../_wait.ts";

/** Runs a shell in a sandbox that may write in `folder`. */
async function shell(
  script: string,
  folder: string,
  more: Partial<Sandbox> = {},
  options: RunOptions = {},
) {
  const sandbox: Sandbox = { write: [folder], read: ["/"], hide: [], network: "none", ...more };
  const argv = ["/bin/sh", "-c", script] as const;
  return await run({ argv, cwd: folder, env: {}, timeoutMs: 20_000, sandbox }, options);
}

/** The same, and what it leaves to the background. */
async function wholeShell(script: string, folder: string, more: Partial<Sandbox> = {}) {
  const outcome = await shell(script, folder, more);
  await flushBackground();
  return outcome;
}

/** Cancels when the program has written `ready`; the time of its grace period is `graceMs`. */
async function cancelled(script: string, folder: string, graceMs: number) {
  const controller = new AbortController();
  const running = shell(script, folder, {}, { signal: controller.signal, graceMs });
  await until(() => exists(join(folder, "ready")), "the start");
  controller.abort();
  return await running;
}

sandboxed.test("a cancelled call in a sandbox may end by itself, and its children too", async () => {
  await using dir = await place();
  // Without a program, which could be told to end as well
  const child = "trap ': > child; exit' TERM; : > ready; while :; do sleep 0.05; done";
  const wait = "while :; do sleep 0.05; done";
  const script = `trap 'wait; : > parent; exit' TERM; sh -c "${child}" & ${wait}`;
  assert.deepEqual((await cancelled(script, dir.path, 20_000)).ending, { kind: "cancelled" });
  assert.deepEqual(
    [await exists(join(dir.path, "child")), await exists(join(dir.path, "parent"))],
    [true, true],
  );
});

sandboxed.test("a program in a sandbox that ignores SIGTERM is killed after the grace period", async () => {
  await using dir = await place();
  const script = "trap '' TERM; touch ready; while :; do sleep 0.05; done";
  assert.deepEqual((await cancelled(script, dir.path, 100)).ending, { kind: "cancelled" });
});

sandboxed.test("a stopped program in a sandbox is told to end too", async () => {
  await using dir = await place();
  // It stops before anything is told it, which would not stop it again
  const script = "trap ': > told; exit' TERM; (kill -STOP $$; touch ready) & wait; sleep 5";
  await cancelled(script, dir.path, 20_000);
  assert.equal(await exists(join(dir.path, "told")), true);
});

sandboxed.test("a forced end of a call in a sandbox waits for nothing", async () => {
  await using dir = await place();
  const forceSignal = AbortSignal.abort();
  const clock = new FakeClock();
  const script = "trap '' TERM; touch ready; while :; do sleep 0.05; done";
  const running = shell(script, dir.path, {}, { forceSignal, graceMs: 2 ** 30, clock });
  await until(() => exists(join(dir.path, "ready")), "the start");
  clock.advance(20_000);
  assert.deepEqual((await running).ending, { kind: "timed out" });
});

/** A script, and the names that it leaves in the folder. */
const creations: readonly (readonly [script: string, names: readonly string[]])[] = [
  ["mkdir -p .git/hooks; touch .git/hooks/post-commit", [".git.set-aside"]],
  ["mkdir .vscode; touch new", [".vscode.set-aside", "new"]],
  ["echo {} > .mcp.json; ln -s /etc .claude", [".claude.set-aside", ".mcp.json.set-aside"]],
  ["mkdir .idea.set-aside .idea", [".idea.set-aside", ".idea.set-aside-2"]],
  ["mkdir .git; exit 3", [".git.set-aside"]],
  ["mkdir .git; kill -9 $$", [".git.set-aside"]],
];

for (const [script, left] of creations) {
  sandboxed.test(`what a program in a sandbox creates under a protected name is set aside: ${script}`, async () => {
    await using dir = await place();
    const { created = [] } = await wholeShell(script, dir.path);
    const names = (await Array.fromAsync(Deno.readDir(dir.path))).map(({ name }) => name);
    assert.deepEqual(names.toSorted(), left);
    const renamed = left.filter((name) => name.includes("set-aside"));
    const made = created.map(({ renamedTo }) => renamedTo?.slice(dir.path.length + 1));
    assert.deepEqual(made.filter((name) => !renamed.includes(name!)), []);
    assert.equal(created.length > 0, true);
  });
}

sandboxed.test("a hidden name that a program creates in the home folder is set aside", async () => {
  await using dir = await place();
  using _ = withVariables({ HOME: dir.path });
  await Deno.writeTextFile(join(dir.path, ".profile"), "mine");
  await Deno.mkdir(join(dir.path, ".npm"));
  const write = [dir.path, join(dir.path, ".npm")];
  const script = "echo evil >.bash_aliases; echo evil >>.profile; echo x >.npm/x; echo x >notes";
  const { created = [] } = await wholeShell(script, dir.path, { write });
  assert.deepEqual(created.map(({ path }) => path), [join(dir.path, ".bash_aliases")]);
  const names = (await Array.fromAsync(Deno.readDir(dir.path))).map(({ name }) => name);
  const left = [".bash_aliases.set-aside", ".npm", ".profile", "notes"];
  assert.deepEqual(names.toSorted(), left);
  assert.equal(await Deno.readTextFile(join(dir.path, ".profile")), "mine");
  assert.equal(await exists(join(dir.path, ".npm", "x")), true);
});

const unlisted = ["chmod 0311 .", "seq 4000 | sed 's/$/-a-long-name-of-a-file/' | xargs touch"];

for (const make of unlisted) {
  sandboxed.test(`a protected name is set aside in a folder that is not listed: ${make}`, async () => {
    await using dir = await place();
    await wholeShell(`${make}; mkdir .vscode`, dir.path);
    await Deno.chmod(dir.path, 0o700);
    const names = [".vscode", ".vscode.set-aside"].map((name) => exists(join(dir.path, name)));
    assert.deepEqual(await Promise.all(names), [false, true]);
  });
}

sandboxed.test("what is created below is set aside, and not where a link of the program leads", async () => {
  await using dir = await place();
  const [work, below] = [join(dir.path, "work"), join(dir.path, "work", "below")];
  await Deno.mkdir(below, { recursive: true });
  await Deno.mkdir(join(dir.path, "other", ".git"), { recursive: true });
  await wholeShell("mkdir .git", below, { write: [work] });
  assert.equal(await exists(join(below, ".git.set-aside")), true);
  const script = `cd ..; mv below moved; ln -s ${dir.path}/other below; mkdir moved/.vscode`;
  await wholeShell(script, below, { write: [work] });
  assert.equal(await exists(join(dir.path, "other", ".git")), true);
  assert.equal(await exists(join(work, "moved")), true);
});

sandboxed.test("a link under a protected name stays, and what replaces it is set aside", async () => {
  await using dir = await place();
  const link = join(dir.path, ".claude");
  await Deno.mkdir(join(dir.path, "own"));
  await Deno.symlink("own", link);
  assert.equal((await wholeShell("touch new", dir.path)).created, undefined);
  assert.equal(await Deno.readLink(link), "own");
  for (const script of ["rm .claude; mkdir .claude", "rm -f .claude; ln -s /etc .claude"]) {
    assert.equal((await wholeShell(script, dir.path)).created?.length, 1, script);
    assert.equal(await exists(link), false);
    await Deno.symlink("own", link);
  }
});

sandboxed.test("what is created after the end of a call is set aside too", async () => {
  await using dir = await place();
  // Without pipes, nothing tells of its end
  const script = "(while :; do mkdir .git; done) >/dev/null 2>&1 & exit 0";
  for (let count = 0; count < 5; count++) await wholeShell(script, dir.path);
  assert.equal(await exists(join(dir.path, ".git")), false);
});

sandboxed.test("what a sandbox may create is set aside after a call at the same time that may not", async () => {
  await using dir = await place();
  const git = join(dir.path, ".git");
  const other = shell("touch ready; until [ -e done ]; do sleep 0.05; done", dir.path);
  await until(() => exists(join(dir.path, "ready")), "the start");
  const { created } = await shell("mkdir .git; touch done", dir.path, { creates: [git] });
  assert.equal(created, undefined);
  // Either of them may have made it
  assert.deepEqual((await other).created, [{ path: git, renamedTo: `${git}.set-aside` }]);
  await flushBackground();
  assert.equal(await exists(git), false);
});

sandboxed.test("what a call may create stays, if it begins as soon as another has ended", async () => {
  await using dir = await place();
  const git = join(dir.path, ".git");
  await shell("true", dir.path);
  await wholeShell("mkdir .git", dir.path, { creates: [git] });
  assert.equal(await exists(git), true);
});

sandboxed.test("what a server in a sandbox creates under a protected name is named when it has ended, and stays", async () => {
  await using dir = await place();
  const git = join(dir.path, ".git");
  const sandbox = { write: [dir.path], read: ["/"], hide: [], network: "none" } as const;
  const argv = ["/bin/sh", "-c", "mkdir .git .vscode; echo ready >&2; read -r _"] as const;
  const ready = Promise.withResolvers<void>();
  const onStderr = () => ready.resolve();
  const server = { argv, cwd: dir.path, env: {}, inherit: [], sandbox, onStderr } as const;
  const started = await startChildServer(server);
  assert.ok(started.ok);
  await ready.promise;
  // Until then, nothing runs there that nothing holds
  holdInPlace({ write: [dir.path], read: [] });
  const free = { argv: ["true"], cwd: dir.path, env: {}, timeoutMs: 20_000 } as const;
  assert.equal((await run(free)).ending.kind, "not started");
  const log = join(dir.path, "log");
  setLogFile(log);
  try {
    const { end } = started.companion;
    const ending = end();
    assert.equal(end(), ending);
    await ending;
    await openingsEnded();
  } finally {
    resetLog();
  }
  const names = (await Deno.readTextFile(log)).match(
    /(?<=warning: ')[^']*(?=' was created while)/g,
  );
  assert.deepEqual((await run(free)).ending, { kind: "exited", code: 0 });
  assert.deepEqual(names?.toSorted(), [git, join(dir.path, ".vscode")]);
  // And a call that may create it, as another server would, begins at once
  await wholeShell("touch .git/x", dir.path, { creates: [git] });
  assert.equal(await exists(join(git, "x")), true);
});

sandboxed.test("what decides and is not there yet is set aside, and a link on the way to it", async () => {
  await using dir = await place();
  await Deno.mkdir(join(dir.path, "tools"));
  for (const path of ["bin", "go/bin", "opt/x/bin", "tools/bin"]) protect(join(dir.path, path));
  const script = "mkdir -p bin go/bin go/pkg elsewhere/bin opt; ln -s ../elsewhere opt/x; " +
    "mv tools old && ln -s elsewhere tools";
  await wholeShell(script, dir.path);
  const left = ["bin", "go/bin", "opt/x", "tools/bin", "go/pkg", "elsewhere/bin", "bin.set-aside"];
  const there = await Promise.all(left.map((path) => exists(join(dir.path, path))));
  assert.deepEqual(there, [false, false, false, false, true, true, true]);
});
