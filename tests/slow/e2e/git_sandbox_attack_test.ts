/** A held git tool that runs a program of the agent goes for what git itself runs later, which nothing holds then. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../configs/_programs.ts";
import { place, sandboxed } from "../../_sandbox.ts";
import { connect, textsOf } from "../../e2e/_clients.ts";
import { git } from "../../e2e/_git_agent.ts";
import { exists } from "../../e2e/_scratch.ts";

/** A repository in `path` with a branch `other` whose commit does not fit; `sub` is a folder in it. */
async function history(path: string): Promise<string> {
  await using repo = await repository();
  for (const [branch, text] of [["other", "theirs"], ["main", "ours"]] as const) {
    await git(repo.path, "switch", "--quiet", ...branch === "main" ? ["main"] : ["-c", branch]);
    await Deno.mkdir(join(repo.path, "sub"), { recursive: true });
    await Deno.writeTextFile(join(repo.path, "sub", "f"), text);
    await git(repo.path, "add", "--all");
    await git(repo.path, "commit", "--quiet", "--message", text);
  }
  const to = join(path, "repo");
  await git(path, "clone", "--quiet", repo.path, to);
  await git(to, "switch", "--quiet", "other");
  await git(to, "config", "user.name", "Ada");
  await git(to, "config", "user.email", "ada@example.org");
  return to;
}

async function agent(path: string, cwd: string, policy: string) {
  const file = join(path, "policy.yaml");
  await Deno.writeTextFile(file, `default: enabled\n${policy}`);
  const client = await connect(["git", "--policy", file], { cwd, env: { HOME: path } });
  const call = textsOf(client);
  return { call, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
}

for (
  const [rule, held, free] of [
    // By a link there, `git commit` would write its message anywhere
    ["{}", /fails at the good commit/, /\] through it/],
    [
      "{ write: [., .git] }",
      /fails at the good commit/,
      /nothing holds it, .* may write '.*\.git'/,
    ],
  ] as const
) {
  sandboxed.test(`git that nothing holds obeys nothing that a held program leaves in .git: ${rule}`, async () => {
    await using dir = await place();
    const repo = await history(dir.path);
    const policy = `tools: { git_bisect_run: { sandbox: ${rule} } }\n`;
    await using server = await agent(dir.path, repo, policy);
    const { call } = server;
    const ran = join(dir.path, "ran");
    await git(repo, "bisect", "start", "HEAD", "HEAD~1");
    const write = `rm -f .git/COMMIT_EDITMSG; ln -s ${ran} .git/COMMIT_EDITMSG; exit 1`;
    const command = ["/bin/sh", "-c", write];
    assert.match(await call("git_bisect_run", { command }), held);
    const message = "through it";
    assert.match(await call("git_commit", { message, allow_empty: true }), free);
    assert.equal(await exists(ran), false);
  });
}

sandboxed.test("git_bisect_run lets a build write a cache of its own, and not that of the repository", async () => {
  await using dir = await place();
  const repo = await history(dir.path);
  await Deno.writeTextFile(join(repo, ".git", "info", "exclude"), "target/\n");
  await Deno.mkdir(join(repo, "target"));
  await Deno.writeTextFile(join(repo, "target", "CACHEDIR.TAG"), "Signature: 8a47");
  await using server = await agent(dir.path, repo, "tools: { git_bisect_run: { sandbox: {} } }\n");
  await git(repo, "bisect", "start", "HEAD", "HEAD~1");
  const build = "mkdir -p target && touch target/out && ! test -f sub/f";
  const command = ["/bin/sh", "-c", build];
  assert.match(await server.call("git_bisect_run", { command }), /is the first bad commit/);
  assert.equal(await exists(join(repo, "target", "out")), false);
});

sandboxed.test("git that nothing holds enters no repository of the index that a held program can change", async () => {
  await using dir = await place();
  const repo = await history(dir.path);
  const allow = ["-c", "protocol.file.allow=always"];
  await git(repo, ...allow, "submodule", "--quiet", "add", repo, "sub/module");
  await git(repo, "commit", "--quiet", "--message", "module");
  await git(repo, "init", "--quiet", "own");
  await Deno.writeTextFile(join(repo, "own", "f"), "1");
  await git(join(repo, "own"), "add", "f");
  await git(join(repo, "own"), "commit", "--quiet", "--message", "own");
  const ran = join(dir.path, "ran");
  const filter = ["config", "filter.x.clean", `touch ${ran}; cat`];
  await using server = await agent(dir.path, repo, "tools: { git_bisect_run: { sandbox: {} } }\n");
  const { call } = server;
  const change = async (text: string) => {
    await Deno.writeTextFile(join(repo, "own", "f"), text);
    return await call("git_add", { all: true });
  };
  assert.match(await change("1"), /^Left out, .*: 'own'$/m);
  // A person may have added it
  await git(repo, "add", "own");
  await git(join(repo, "own"), ...filter);
  await Deno.writeTextFile(join(repo, "own", ".gitattributes"), "* filter=x");
  assert.match(await change("2"), /nothing holds it, .* may write '.*own\/\.git'/);
  assert.match(await call("git_rm", { path: ["own"] }), /nothing holds it/);
  assert.equal(await exists(ran), false);
});
