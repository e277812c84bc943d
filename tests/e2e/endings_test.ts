/** However a call ends, the processes it started end with it, in time. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { processTools, testsUnless } from "../_requirements.ts";
import type { RawServer } from "./_raw.ts";
import { idsFrom, mess, sendCall, startMess } from "./_mess.ts";
import { isAlive, pause, untilGone } from "../_wait.ts";
import { apart } from "./_processes.ts";
import { scratch } from "./_scratch.ts";

const { ignore } = processTools;

/** A grace period longer than any test waits: what ends has not waited for it. */
const noGrace = ["--kill-timeout", "3600"];

/** Starts the tree that lives for long; returns its three process ids. */
async function plant(server: RawServer, dir: string, id: string): Promise<number[]> {
  const file = join(dir, id);
  await sendCall(server, id, "fork_tree_for_long", { file });
  return await idsFrom(file, 3);
}

processTools.test("SIGTERM ends every tree: exit code 0", async () => {
  await using dir = await scratch();
  await using server = await startMess({ args: ["--kill-timeout", "0.3"] });
  const stubborn = join(dir.path, "stubborn");
  await sendCall(server, "stubborn", "ignore_term_for_long", { file: stubborn });
  const pids = [...await plant(server, dir.path, "tree"), ...await idsFrom(stubborn, 1)];
  server.kill("SIGTERM");
  assert.deepEqual(await server.ended(), { code: 0, stderr: "" });
  await untilGone(...pids);
});

processTools.test("a second signal does not leave the trees behind", async () => {
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

// macOS has no `setsid`
const here = testsUnless(ignore || Deno.build.os === "darwin");
const linuxProcesses = testsUnless(ignore || Deno.build.os !== "linux");
/** Without the right to run `sh`, nothing outlives a server that could end its programs. */
const noShell = ["--allow-read", "--allow-env", `--allow-run=${mess},kill,ps`];

linuxProcesses.test("the programs of a server that is killed end with it, by the kernel's end of a pipe", async () => {
  await using dir = await scratch();
  const server = await startMess();
  const pids = await plant(server, dir.path, "tree");
  server.kill("SIGKILL");
  await server.ended();
  await untilGone(...pids);
});

here.test("what a killed server left is named by the next, and ended by --kill-orphans", async () => {
  await using dir = await scratch();
  const env = await apart(dir.path);
  const killed = await startMess({ env, permissions: noShell });
  const pids = await plant(killed, dir.path, "tree");
  killed.kill("SIGKILL");
  await killed.ended();
  assert.ok(pids.every(isAlive));
  {
    await using next = await startMess({ env });
    await next.logged("left over from an earlier climax");
    for (const pid of pids) await next.logged(`${pid} (`);
    await next.logged("start with --kill-orphans to end them");
    assert.ok(pids.every(isAlive));
  }
  await using reaper = await startMess({ args: ["--kill-orphans"], env });
  await reaper.logged("Ending ");
  await untilGone(...pids);
});

here.test("--kill-orphans leaves the programs of living servers alone", async () => {
  await using dir = await scratch();
  const env = await apart(dir.path);
  await using server = await startMess({ env });
  const pids = await plant(server, dir.path, "tree");
  const killed = await startMess({ env, permissions: noShell });
  const others = await plant(killed, dir.path, "other");
  killed.kill("SIGKILL");
  await killed.ended();
  await using reaper = await startMess({ args: ["--kill-orphans"], env });
  await reaper.logged("Ending ");
  await untilGone(...others);
  assert.ok(pids.every(isAlive));
});

processTools.test("a broken stdout pipe ends the server quietly, and its trees", async () => {
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
});
