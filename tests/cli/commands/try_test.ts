/** `climax try`: what it shows at a terminal, what it leaves, and what it says without one. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { scratch } from "../../e2e/_scratch.ts";
import { climax, climaxOnTerminal, ends } from "./_climax.ts";

const calls = /\$ climax call git_commit '?"?message=Add a greeting/;

/** What a terminal shows whose person types `stdin`, in `folder` as the home. */
async function shown(folder: string, stdin: string): Promise<string> {
  const env = {
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, ".config"),
    TERM: "dumb",
    NO_COLOR: "1",
  };
  return await climaxOnTerminal(["try"], { cwd: folder, env, stdin });
}

Deno.test("climax try shows a search, a dry run, a refusal and a question, and leaves nothing", async () => {
  await using dir = await scratch();
  const seen = await shown(dir.path, "yes\n");
  for (
    const said of [
      /^git_commit +git +Record staged changes/m,
      /^\$ git commit '?"?--message=Add a greeting/m,
      /'--output=notes\.txt' begins with '-' and would be read as an option/,
      /An agent wants to call git_commit \(write\)/,
      /^\[main \(root-commit\) [0-9a-f]+\] Add a greeting$/m,
      /^5\. Connect your MCP client:\n\$ climax connect CLIENT git$/m,
      calls,
    ]
  ) assert.match(seen, said);
  const [, folder] = /^Removed (\S+)$/m.exec(seen)!;
  await assert.rejects(Deno.stat(folder!), Deno.errors.NotFound);
});

Deno.test("climax try offers a client that is here, and writes nothing without a yes", async () => {
  await using dir = await scratch();
  await Deno.mkdir(join(dir.path, ".cursor"));
  const seen = await shown(dir.path, "");
  assert.doesNotMatch(seen, /root-commit/);
  assert.match(seen, /^5\. Cursor is installed\. Connect it:\n\$ climax connect cursor git\n/m);
  assert.match(seen, /"ask"[^]*Nothing was written/);
  assert.deepEqual([...Deno.readDirSync(join(dir.path, ".cursor"))], []);
});

Deno.test("climax try without a terminal says what it would run, and runs nothing", async () => {
  await ends(climax(["try"]), { code: 0, stderr: "", stdout: [/^Not a terminal/, calls] });
});
