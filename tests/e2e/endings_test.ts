/** However a call ends, the processes it started end with it, in time. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { processTools, testsUnless } from "../_requirements.ts";
import type { RawServer } from "./_raw.ts";
import { idsFrom, sendCall, startMess } from "./_mess.ts";
import { pause, untilGone } from "../_wait.ts";
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

const linuxProcesses = testsUnless(ignore || Deno.build.os !== "linux");

linuxProcesses.test("the programs of a server that is killed end with it, by the kernel's end of a pipe", async () => {
  await using dir = await scratch();
  const server = await startMess();
  const pids = await plant(server, dir.path, "tree");
  server.kill("SIGKILL");
  await server.ended();
  await untilGone(...pids);
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
