/** Programs that are used over their pipes: where they start, what they say, and how they ended. */

import assert from "node:assert/strict";
import { startChildServer } from "../../src/exec/child_server.ts";
import { unix } from "../_requirements.ts";
import { within } from "../_wait.ts";
import { scratch } from "../e2e/_scratch.ts";

const text = (stream: ReadableStream<Uint8Array>) => new Response(stream).text();

unix.test("startChildServer() starts in a directory, and tells how the program ended", async () => {
  await using dir = await scratch();
  const path = await Deno.realPath(dir.path);
  const rows = [["pwd; exit 3", `${path}\n`, "exit code 3"], ["kill -9 $$", "", "signal SIGKILL"]];
  for (const [script, said, expected] of rows) {
    const argv = ["/bin/sh", "-c", script!] as const;
    const started = await startChildServer({ argv, cwd: path, env: {}, inherit: [] });
    assert.ok(started.ok);
    const { stdout, ended, end } = started.companion;
    assert.equal(await text(stdout), said);
    assert.equal(await within(ended, "its end"), expected);
    await end();
  }
  const none = await startChildServer({ argv: ["climax-none"], env: {}, inherit: [] });
  assert.deepEqual([none.ok, !none.ok && none.failure], [false, "command not found"]);
});

unix.test("startChildServer() ends a program that does not end with its input", async () => {
  const argv = ["/bin/sh", "-c", "echo ready; exec sleep 3600"] as const;
  const started = await startChildServer({ argv, env: {}, inherit: ["PATH"] });
  assert.ok(started.ok);
  const { stdout, ended, end } = started.companion;
  const reader = stdout.getReader();
  await reader.read();
  await within(end(AbortSignal.abort()), "its end");
  assert.match(await ended, /^signal SIG(?:TERM|KILL)$/);
  await reader.cancel();
});
