/** Words that git reads otherwise than they look: revisions, names with blanks, what a repository names elsewhere. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { unix as here } from "../../_requirements.ts";
import { place, sandboxed } from "../../_sandbox.ts";
import { connect } from "../../e2e/_clients.ts";
import { git, withAgent } from "../../e2e/_git_agent.ts";
import { exists, writeFiles } from "../../e2e/_scratch.ts";

/** Tracks a changed `deploy.key`, and has an ignored `.env` that an earlier commit tracked. */
async function withCredentials(repo: string): Promise<void> {
  const commit = async (message: string) => {
    await git(repo, "add", "--force", "--all");
    await git(repo, "commit", "--quiet", `--message=${message}`);
  };
  await writeFiles(repo, { ".env": "dummy\n", "deploy.key": "dummy-e\n" });
  await commit("first");
  await git(repo, "rm", "--quiet", ".env");
  await Deno.writeTextFile(join(repo, ".gitignore"), ".env\n");
  await commit("removed");
  await Deno.writeTextFile(join(repo, "other"), "1\n");
  await commit("last");
  await writeFiles(repo, { ".env": "UNTRACKED\n", "deploy.key": "CHANGED-eu\n" });
}

here.test("git reads no credential of the working tree, whatever its words say", () =>
  withAgent(async ({ repo, move }) => {
    await withCredentials(repo);
    await git(repo, "tag", "--annotate", "--message=x", "file", "HEAD:other");
    for (
      const [tool, args] of [
        ["git_diff", { revision: "HEAD:other", path: [".env"] }],
        ["git_diff", { revision: "HEAD^{/l..}:other", path: [".env"] }],
        ["git_diff", { revision: "HEAD^{/l..}" }],
        ["git_diff", { revision: "HEAD@{1..second..ago}" }],
        ["git_grep", { pattern: "-e", path: ["--cached", "."] }],
        ["git_grep", { pattern: "-e", untracked: true, path: ["--cached", "."] }],
      ] as const
    ) assert.doesNotMatch(await move(tool, args), /^[+-]?.*(?:UNTRACKED|CHANGED)/m, tool);
    // With a changed credential there would be more paths than such a comparison takes
    await git(repo, "restore", "deploy.key");
    for (const revision of ["HEAD:other", "file"]) {
      const said = await move("git_diff", { revision, path: [".env"] });
      assert.match(said, /a file of a commit with any file/, revision);
    }
    const said = await move("git_diff", { revision: "HEAD~1..HEAD" });
    assert.match(said, /\+1/);
    assert.match(await move("git_diff", { revision: "HEAD~1...HEAD", stat: true }), /other/);
  }));

here.test("git writes over no credential that a commit on its way has", () =>
  withAgent(async ({ repo, move }) => {
    await withCredentials(repo);
    await git(repo, "restore", "deploy.key");
    await git(repo, "switch", "--quiet", "--create", "old", "HEAD~1");
    await git(repo, "switch", "--quiet", "main");
    for (
      const [tool, args] of [
        ["git_revert", { revision: ["HEAD~1"] }],
        ["git_cherry_pick", { revision: ["HEAD~1"] }],
        ["git_bisect_start", { bad: "HEAD", good: ["HEAD~2"] }],
        ["git_bisect_good", {}],
        ["git_reset_hard", { revision: "HEAD^{/f..st}" }],
        ["git_restore", { source: "HEAD^{/f..st}", path: ["."] }],
      ] as const
    ) assert.match(await move(tool, args), /'\.env' is here, and git does not track it/, tool);
    assert.equal(await Deno.readTextFile(join(repo, ".env")), "UNTRACKED\n");
    // Commits that never had it are as free as ever
    assert.match(await move("git_revert", { revision: ["HEAD"] }), /Revert "last"/);
  }));

for (const first of [" ", "\t", "\u00a0", "\ufeff"]) {
  here.test(`a credential in the folder ${JSON.stringify(first)}conf is left out`, () =>
    withAgent(async ({ repo, move }) => {
      const folder = join(repo, `${first}conf`);
      await Deno.mkdir(folder);
      await Deno.writeTextFile(join(folder, ".env"), "dummy\n");
      await git(repo, "add", "--force", "--all");
      await git(repo, "commit", "--quiet", "--message=conf");
      await writeFiles(folder, { ".env": "CHANGED\n", "x.pem": "UNTRACKED\n" });
      for (
        const [tool, args] of [["git_diff", {}], ["git_grep", {
          pattern: ".",
          untracked: true,
        }]] as const
      ) {
        assert.doesNotMatch(await move(tool, args), /^[+-]?.*(?:UNTRACKED|CHANGED)/m, tool);
      }
      await move("git_add", { all: true });
      assert.equal(await git(repo, "diff", "--cached", "--name-only"), "");
    }));
}

here.test("git makes no repository around files that are there", () =>
  withAgent(async ({ repo, move }) => {
    await Deno.mkdir(join(repo, "x", "hooks"), { recursive: true });
    await Deno.writeTextFile(join(repo, "x", "config"), "[core]\n\tpager = touch ran\n");
    for (const path of ["x", "."]) {
      assert.match(await move("git_init", { path, bare: true }), /has files already/);
    }
    assert.equal(await exists(join(repo, "x", "HEAD")), false);
    assert.match(await move("git_init", { path: "y", bare: true }), /Initialized/);
  }));

/** What a held program makes of `sub`, a repository of its own, and what git is asked there. */
const named: readonly (readonly [what: string, script: string, tool: string, said: RegExp])[] = [
  [
    "a hidden folder as objects",
    "echo $HOME/.ssh > .git/objects/info/alternates",
    "git_status",
    /hidden in a sandbox/,
  ],
  [
    "another repository as its own",
    "echo $HOME/other/.git > .git/commondir",
    "git_log",
    /which knows nothing of it/,
  ],
  [
    "a program for the network",
    "git config core.sshCommand 'touch ran;:'",
    "git_fetch",
    /git gets no network there/,
  ],
];

for (const [what, script, tool, said] of named) {
  sandboxed.test(`a repository that a held program makes cannot name ${what}`, async () => {
    await using dir = await place();
    const [home, proj] = [join(dir.path, "home"), join(dir.path, "proj")];
    for (const path of [join(home, ".ssh"), join(proj, "sub")]) {
      await Deno.mkdir(path, { recursive: true });
    }
    await git(home, "init", "--quiet", "other");
    const sub = join(proj, "sub");
    await git(sub, "init", "--quiet");
    await git(sub, "remote", "add", "origin", "ssh://git@example.org/x.git");
    const shell = new Deno.Command("sh", { args: ["-c", script], cwd: sub, env: { HOME: home } });
    assert.equal((await shell.output()).code, 0);
    await using client = await connect(["git", "--sandbox", "--policy", "open"], {
      cwd: proj,
      env: { HOME: home },
    });
    const { text } = await client.call("climax_call", {
      tool_name: tool,
      args: { directory: "sub" },
    });
    assert.match(text, said);
    assert.equal(await exists(join(sub, "ran")), false);
  });
}

here.test("git makes no submodule of a repository that lies below", () =>
  withAgent(async ({ repo, trace, move }) => {
    const sub = join(repo, "sub");
    await git(repo, "init", "--quiet", "sub");
    await git(sub, "commit", "--quiet", "--allow-empty", "--message=x");
    await git(sub, "config", "core.fsmonitor", `touch ${trace}; false`);
    for (const args of [{ path: ["sub"] }, { all: true }]) {
      assert.match(await move("git_add", args), /Left out[^]*'sub'/);
    }
    const link = (await git(sub, "rev-parse", "HEAD")).trim();
    const patch = "diff --git a/sub b/sub\nnew file mode 160000\n" +
      `index 0000000..${
        link.slice(0, 7)
      }\n--- /dev/null\n+++ b/sub\n@@ -0,0 +1 @@\n+Subproject commit ${link}\n`;
    assert.match(await move("git_apply", { patch }), /makes a submodule/);
    await git(repo, "switch", "--quiet", "--create", "b");
    await git(repo, "update-index", "--add", "--cacheinfo", `160000,${link},sub`);
    await git(repo, "commit", "--quiet", "--message=sub");
    await git(repo, "switch", "--quiet", "main");
    for (
      const [tool, args] of [["git_switch", { branch: "b" }], ["git_merge", {
        revision: "b",
      }]] as const
    ) {
      assert.match(await move(tool, args), /would make a submodule of it/, tool);
    }
  }));
