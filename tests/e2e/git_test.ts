/** The main job: an agent works in a real repository through the bundled git config. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { connect } from "./_clients.ts";
import { scratch } from "./_scratch.ts";

Deno.test("an agent creates a repository, commits to it and reads it back", async () => {
  await using dir = await scratch();
  const directory = join(dir.path, "work");
  await using client = await connect(["git"], { cwd: dir.path });
  const git = async (tool: string, args: Record<string, unknown> = {}): Promise<string> => {
    const given = { tool_name: `git_${tool}`, args: { directory, ...args } };
    const { text, isError } = await client.call("climax_call", given);
    assert.equal(isError, false, `${tool}: ${text}`);
    return text;
  };

  await git("init", { path: "work", initial_branch: "main", directory: dir.path });
  await Deno.writeTextFile(join(directory, "notes.txt"), "one\n");
  assert.equal(await git("status", { short: true }), "?? notes.txt");

  await git("add", { path: "notes.txt" });
  const message = `--first "commit"; $(touch pwned)\n\nwith a body`;
  assert.match(await git("commit", { message }), /1 file changed/);
  assert.equal(
    await git("log", { format: "%s|%b" }),
    `--first "commit"; $(touch pwned)|with a body\n`,
  );

  await git("commit", { amend: true });
  for (let count = 1; count < 25; count++) await git("commit", { message: "m", allow_empty: true });
  const note = /\n\n\[there are more than these 20 commits; skip: 20 shows the next\]$/;
  assert.match(await git("log"), note);
  assert.doesNotMatch(await git("log", { skip: 5 }), /25 commits/);
  assert.doesNotMatch(await git("log", { max_count: 3 }), /25 commits/);

  await Deno.writeTextFile(join(directory, "notes.txt"), "one\ntwo\n");
  assert.match(await git("diff"), /^\+two$/m);
  assert.equal(await git("diff", { path: "other.txt" }), "(no output)");

  const failed = await client.call("climax_call", {
    tool_name: "git_commit",
    args: { directory, message: "nothing staged" },
  });
  assert.equal(failed.isError, true);
  assert.match(failed.text, /\[exit code: 1\]$/);
  await assert.rejects(Deno.stat(join(directory, "pwned")), Deno.errors.NotFound);
});
