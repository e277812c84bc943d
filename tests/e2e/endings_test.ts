/** However a call ends, the processes it started end with it, in time. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { processTools } from "../_requirements.ts";
import type { RawServer } from "./_raw.ts";
import { answered, callMess, idsFrom, idsIn, mess, sendCall, startMess } from "./_mess.ts";
import { isAlive, pause, scaledSeconds, untilGone } from "../_wait.ts";
import { apart, endProcess } from "./_processes.ts";
import { scratch } from "./_scratch.ts";

const { ignore } = processTools;

/** A grace period longer than any test waits: what ends has not waited for it. */
const noGrace = ["--kill-timeout", "3600"];

/** The timeout of the tools that reach it. */
const seconds = scaledSeconds(1);

/** Ends the server; returns the milliseconds that it says its only call took. */
async function loggedMs(server: RawServer): Promise<number> {
  await server.closeInput();
  const { code, stderr } = await server.ended();
  assert.equal(code, 0);
  const [, ms] = /^\S+ warning: \w+: timed out after (\d+) ms$/m.exec(stderr) ?? [];
  assert.notEqual(ms, undefined, stderr);
  return Number(ms);
}

/** Starts the tree that lives for long; returns its three process ids. */
async function plant(server: RawServer, dir: string, id: string): Promise<number[]> {
  const file = join(dir, id);
  await sendCall(server, id, "fork_tree_for_long", { file });
  return await idsFrom(file, 3);
}

Deno.test({ name: "a timeout ends the whole tree and keeps what it printed", ignore }, async () => {
  await using server = await startMess({ args: noGrace });
  const { text } = await callMess(server, "fork_tree");
  const { self, child, grandchild } = idsIn(text);
  const ending = `\n\n[stderr]\nCommand timed out after ${seconds}s\n\n[exit code: -1]`;
  assert.equal(text.slice(-ending.length), ending);
  for (const pid of [self!, child!, grandchild!]) assert.equal(isAlive(pid), false, text);
  assert.ok(await loggedMs(server) >= 1000 * seconds);
});

Deno.test({ name: "what ignores SIGTERM is made to end after the grace", ignore }, async () => {
  await using server = await startMess({ args: ["--kill-timeout", "0.3"] });
  const { text } = await callMess(server, "ignore_term");
  assert.match(
    text,
    new RegExp(`^self \\d+\n\n\\[stderr\\]\nCommand timed out after ${seconds}s\n`),
  );
  await untilGone(...Object.values(idsIn(text)));
  assert.ok(await loggedMs(server) >= 1000 * seconds + 300);
});

Deno.test(
  { name: "a stopped program ends at its timeout, without the grace", ignore },
  async () => {
    await using server = await startMess({ args: noGrace });
    const { text } = await callMess(server, "stop_itself");
    await untilGone(...Object.values(idsIn(text)));
  },
);

Deno.test({ name: "a cancelled call ends with its tree, unanswered", ignore }, async () => {
  await using dir = await scratch();
  await using server = await startMess({ args: noGrace });
  const pids = await plant(server, dir.path, "tree");
  assert.ok(pids.every(isAlive));
  await server.cancel("tree");
  await untilGone(...pids);
  assert.equal((await callMess(server, "say")).text, "hello");
  assert.ok(!answered(server).includes("tree"));
});

Deno.test({ name: "a closed connection ends every tree: exit code 0", ignore }, async () => {
  await using dir = await scratch();
  await using server = await startMess({ args: noGrace });
  const pids = [
    ...await plant(server, dir.path, "one"),
    ...await plant(server, dir.path, "two"),
  ];
  await server.closeInput();
  assert.deepEqual(await server.ended(), { code: 0, stderr: "" });
  assert.deepEqual(pids.filter(isAlive), []);
});

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  Deno.test({ name: `${signal} ends every tree: exit code 0`, ignore }, async () => {
    await using dir = await scratch();
    await using server = await startMess({ args: ["--kill-timeout", "0.3"] });
    const stubborn = join(dir.path, "stubborn");
    await sendCall(server, "stubborn", "ignore_term_for_long", { file: stubborn });
    const pids = [...await plant(server, dir.path, "tree"), ...await idsFrom(stubborn, 1)];
    server.kill(signal);
    assert.deepEqual(await server.ended(), { code: 0, stderr: "" });
    await untilGone(...pids);
  });
}

Deno.test({ name: "a second signal does not leave the trees behind", ignore }, async () => {
  await using dir = await scratch();
  await using server = await startMess({ args: [...noGrace, "--log-level", "info"] });
  const file = join(dir.path, "stubborn");
  await sendCall(server, "stubborn", "ignore_term_for_long", { file });
  const pids = await idsFrom(file, 1);
  server.kill("SIGTERM");
  await server.logged("SIGTERM: ending");
  server.kill("SIGTERM");
  assert.equal((await server.ended()).code, 0);
  await untilGone(...pids);
});

Deno.test(
  { name: "without the right to end trees a call is in time and says so", ignore },
  async () => {
    const permissions = ["--allow-read", "--allow-env", `--allow-run=${mess}`];
    await using server = await startMess({ permissions, args: noGrace });
    const { text } = await callMess(server, "fork_tree");
    const { self, child, grandchild } = idsIn(text);
    assert.match(text, /Command timed out after /);
    assert.equal(isAlive(self!), false);
    assert.ok(isAlive(child!) && isAlive(grandchild!));
    [child!, grandchild!].forEach(endProcess);
    await server.closeInput();
    const { code, stderr } = await server.ended();
    assert.equal(code, 0);
    assert.match(
      stderr,
      /^\S+ warning: Process \d+ is ended, but programs it started may still run/m,
    );
  },
);

Deno.test({ name: "the right to run kill and ps is enough to end trees", ignore }, async () => {
  const permissions = ["--allow-read", "--allow-env", `--allow-run=${mess},kill,ps`];
  await using server = await startMess({ permissions, args: noGrace });
  const { text } = await callMess(server, "fork_tree");
  await untilGone(...Object.values(idsIn(text)));
  await server.closeInput();
  const { code, stderr } = await server.ended();
  assert.equal(code, 0);
  assert.match(stderr, /^\S+ warning: fork_tree: timed out after \d+ ms\n$/);
});

Deno.test(
  { name: "a process left in the background lives, and nobody waits for it", ignore },
  async () => {
    await using server = await startMess();
    const { text, isError } = await callMess(server, "background");
    const { background } = idsIn(text);
    try {
      assert.match(text, /^background \d+\ndone$/);
      assert.equal(isError, false);
      await server.closeInput();
      assert.equal((await server.ended()).code, 0);
      assert.ok(isAlive(background!));
    } finally {
      endProcess(background!);
    }
  },
);

// macOS has no `setsid`
const noSetsid = ignore || Deno.build.os === "darwin";
Deno.test(
  { name: "what begins a session of its own ends with its call", ignore: noSetsid },
  async () => {
    await using server = await startMess({ args: noGrace });
    const { text } = await callMess(server, "own_session");
    const { session } = idsIn(text);
    assert.match(text, /Command timed out after /);
    assert.equal(isAlive(session!), false);
  },
);

Deno.test(
  { name: "without ps a session of its own outlives its call", ignore: noSetsid },
  async () => {
    const permissions = ["--allow-read", "--allow-env", `--allow-run=${mess},kill`];
    await using server = await startMess({ permissions });
    const { text } = await callMess(server, "own_session");
    const { session } = idsIn(text);
    await server.logged("'ps' cannot be run");
    assert.ok(isAlive(session!));
    endProcess(session!);
  },
);

Deno.test({
  name: "what a killed server left is named by the next, and ended by --kill-orphans",
  ignore: noSetsid,
}, async () => {
  await using dir = await scratch();
  const env = await apart(dir.path);
  const killed = await startMess({ env });
  const pids = await plant(killed, dir.path, "tree");
  killed.kill("SIGKILL");
  await killed.ended();
  assert.ok(pids.every(isAlive));
  {
    await using next = await startMess({ env });
    await next.logged("left over from an earlier climax");
    for (const pid of pids) await next.logged(`${pid} (`);
    await next.logged("--kill-orphans ends them at the start");
    assert.ok(pids.every(isAlive));
  }
  await using reaper = await startMess({ args: ["--kill-orphans"], env });
  await reaper.logged("Ending ");
  await untilGone(...pids);
});

Deno.test(
  { name: "--kill-orphans leaves the programs of living servers alone", ignore: noSetsid },
  async () => {
    await using dir = await scratch();
    const env = await apart(dir.path);
    await using server = await startMess({ env });
    const pids = await plant(server, dir.path, "tree");
    const killed = await startMess({ env });
    const others = await plant(killed, dir.path, "other");
    killed.kill("SIGKILL");
    await killed.ended();
    await using reaper = await startMess({ args: ["--kill-orphans"], env });
    await reaper.logged("Ending ");
    await untilGone(...others);
    assert.ok(pids.every(isAlive));
  },
);

Deno.test(
  { name: "a broken stdout pipe ends the server quietly, and its trees", ignore },
  async () => {
    await using dir = await scratch();
    await using server = await startMess();
    const pids = await plant(server, dir.path, "tree");
    await server.dropOutput();
    let over = false;
    const ended = server.ended().finally(() => over = true);
    // The system closes the pipe a moment later: the first answers may still go into it
    while (!over) {
      await server.sendText(`{"jsonrpc":"2.0","id":"last","method":"ping"}`).catch(() => {});
      await Promise.race([ended, pause(20)]);
    }
    assert.deepEqual(await ended, { code: 0, stderr: "" });
    await untilGone(...pids);
  },
);
