/** A server whose folder is removed while it runs: what it says, and that its calls still end whole. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { answered, idsFrom, mess, sendCall } from "./_mess.ts";
import { startReady } from "./_raw.ts";
import { untilGone } from "../_wait.ts";
import { scratch } from "./_scratch.ts";
import { unix } from "../_requirements.ts";

// Windows removes no folder that a process runs in
const config = `name: here
command: $MESS
tools:
  - { name: say, command: say hello, effect: read }
  - { name: say_at_root, command: say hello, effect: read, working_dir: / }
  - name: told
    command: say
    start_in: /
    argv: ["{place}/x"]
    args: [{ name: place, cwd: true, default: . }]
  - name: fork
    command: fork_tree
    effect: write
    timeout: 3600
    args: [{ name: file, positional: true }]
  - { name: held, command: say, args: [{ name: path, positional: true, within: . }] }
`;

unix.test("a server whose folder is gone says so, and ends what runs", async () => {
  await using dir = await scratch({ "here.yaml": config });
  const folder = join(dir.path, "folder");
  await Deno.mkdir(folder);
  const args = [join(dir.path, "here.yaml")];
  await using server = await startReady(args, { cwd: folder, env: { MESS: mess } });
  const file = join(dir.path, "ids");
  await sendCall(server, "tree", "fork", { file });
  const pids = await idsFrom(file, 3);

  await Deno.remove(folder);
  const gone = `Working directory not found: ${await Deno.realPath(dir.path)}/folder\n` +
    "This server was started there, and it was removed or replaced: start the server again";
  const call = (tool_name: string, args = {}) => server.call("climax_call", { tool_name, args });
  assert.deepEqual(await call("say"), { text: gone, isError: true });
  assert.deepEqual(await call("say_at_root"), { text: "hello", isError: false });
  // It is told of what is there no more, and says that by itself
  const told = await call("told");
  assert.deepEqual(told, { text: `${await Deno.realPath(dir.path)}/folder/x`, isError: false });
  const held = await call("held", { path: "x" });
  assert.match(
    held.text,
    /^Argument validation failed:\n {2}- Argument 'path': 'x' cannot be held by '.': /,
  );

  await server.cancel("tree");
  await untilGone(...pids);
  assert.ok(!answered(server).includes("tree"));
});
