/** `deno task climax`, from wherever the user is. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { type Scratch, scratch } from "./_scratch.ts";
import { root } from "./_server.ts";
import { RawServer, startRawFrom } from "./_raw.ts";
import { git } from "./_git_agent.ts";

/** `deno task --config … climax run` as a user in `cwd` types it. */
function serve(cwd: string, ...configs: string[]): RawServer {
  const task = ["task", "--quiet", "--config", join(root, "deno.json"), "climax", "run"];
  return startRawFrom([Deno.execPath(), ...task, ...configs], { cwd });
}

async function repository(): Promise<Scratch> {
  const dir = await scratch();
  await git(dir.path, "init", "--quiet", "--initial-branch=main");
  await git(dir.path, "commit", "--quiet", "--allow-empty", "--message=where the user is");
  return dir;
}

Deno.test("deno task climax run git works on the repository the user is in", async () => {
  await using dir = await repository();
  await using server = serve(dir.path, "git");
  assert.equal((await server.initialize()).result.serverInfo.name, "climax");
  const args = { tool_name: "git_log", args: { format: "%s" } };
  const log = await server.call("climax_call", args);
  assert.deepEqual(log, { text: "where the user is", isError: false });
  await server.closeInput();
  assert.equal((await server.ended()).code, 0);
});
