/** The commands of the README work in a clone, started as it stands there. `connect_test` has the entries of docs/clients.md. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { RawServer } from "../../e2e/_raw.ts";
import { environment, root } from "../../e2e/_server.ts";
import { spawn } from "../../_run.ts";

Deno.test("the README's two commands serve git and run the tests", async () => {
  const readme = await Deno.readTextFile(join(root, "README.md"));
  const [, section] = readme.split("\n## From a clone\n");
  const [, block] = /^```sh\n([^]*?)^```$/m.exec(section!)!;
  const commands = block!.trimEnd().split("\n").filter((line) => !line.startsWith("#"));
  assert.equal(commands.length, 2);
  assert.equal(commands[1], "npx -y deno@2.9.6 task test");
  const [npx, yes, deno, run, ...words] = commands[0]!.split(" ");
  assert.deepEqual([npx, yes, deno], ["npx", "-y", "deno@2.9.6"]);
  // With this Deno in the place of the one that npx gets
  const line = [Deno.execPath(), run!, "--cached-only", ...words] as const;
  const env = environment({ DENO_NO_UPDATE_CHECK: "1" });
  await using server = new RawServer(spawn(line, { cwd: root, env }));
  assert.equal((await server.initialize()).result.serverInfo.name, "climax");
  const found = await server.call("climax_search", { query: "show the version of git" });
  assert.equal(found.isError, false);
  const { text } = await server.call("climax_call", { tool_name: "git_status", args: {} });
  assert.match(text, /^On branch |^HEAD detached /);
});
