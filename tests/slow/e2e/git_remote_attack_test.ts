/**
 * The bundled git config against remotes of an agent's choice: names that git makes of URLs, what a fetch
 * deletes, and whom a tool that reads speaks to. Over MCP, against the real git.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { whyNot } from "../../configs/_programs.ts";
import { git, type Ground, held, withAgent } from "../../e2e/_git_agent.ts";
import { testsUnless } from "../../_requirements.ts";

const here = testsUnless(Deno.build.os === "windows" || await whyNot("git") !== undefined);

const refs = (repo: string) => git(repo, "for-each-ref", "--format=%(refname)");

here.test("an agent cannot have git make a directory of a name that no check saw", () =>
  withAgent(async ({ repo, served, remote, move }) => {
    for (const name of ["\x01.git", "\x01.climax", "\x7f.vscode", "\u0085.git"]) {
      await Deno.rename(join(served, "evil.git"), join(served, `${name}.git`));
      const url = `${remote}/${name}.git`;
      for (
        const path of [undefined, "", ".", ".git", ".GIT", "src/.git", "n", "\x01.git", "n\n"]
      ) {
        const text = await move("git_clone", { url, path });
        assert.match(text, /Missing required argument 'path'|must be a URL/, path);
      }
      for (
        const [tool, args] of [
          ["git_remote_add", { name: "evil", url, fetch: true }],
          ["git_fetch", { remote: url }],
          ["git_pull", { remote: url }],
          ["git_push", { remote: url }],
        ] as const
      ) {
        assert.match(await move(tool, args), /contains U\+00(?:01|7F|85) and must be a URL/, tool);
      }
      await Deno.rename(join(served, `${name}.git`), join(served, "evil.git"));
    }
    const url = `${remote}/evil.git`;
    for (const path of [".git", "\x01.git", "a/\x01.git", "n\n", ".climax", "a/.climax"]) {
      assert.match(await move("git_clone", { url, path }), held, path);
      assert.match(await move("git_init", { path }), held, path);
    }
    assert.match(await move("git_clone", { url, path: "copy" }), /Cloning into 'copy'/);
    assert.equal(await move("git_status", { directory: "copy", short: true }), "(no output)");
    assert.deepEqual(
      (await Array.fromAsync(Deno.readDir(repo), ({ name }) => name)).toSorted(),
      [".git", "README.md", "copy"],
    );
  }));

/** A remote without anything but main, and a repository with more. */
async function withMore({ repo, served, remote }: Ground): Promise<string> {
  await git(repo, "branch", "work");
  await git(repo, "tag", "v1");
  await Deno.writeTextFile(join(repo, "README.md"), "changed\n");
  await git(repo, "stash", "--quiet");
  await git(served, "init", "--quiet", "--bare", "--initial-branch=main", "empty.git");
  await git(repo, "push", "--quiet", join(served, "empty.git"), "main");
  await git(repo, "update-ref", "refs/remotes/origin/gone", "main");
  const url = `${remote}/empty.git`;
  await git(repo, "remote", "add", "origin", url);
  return url;
}

here.test("an agent that fetches deletes and overwrites no branch, tag or stash", () =>
  withAgent(async (ground) => {
    const { repo, move } = ground;
    const url = await withMore(ground);
    // Settings of the person's that would have tags pruned
    await git(repo, "config", "fetch.pruneTags", "true");
    await git(repo, "config", "remote.origin.pruneTags", "true");
    const before = (await refs(repo)).replace("refs/remotes/origin/gone\n", "");
    for (
      const refspec of [
        "+refs/heads/w*:refs/heads/w*",
        "refs/heads/*:refs/heads/*",
        "+refs/tags/*:refs/tags/*",
        "+refs/s*:refs/s*",
        "+main:work",
        "main:work",
        ":work",
        "^main",
        "main:refs/remotes/../heads/work",
        "main:refs/stash",
        "main main:work",
        "+main",
      ]
    ) {
      for (const remote of [url, "origin"]) {
        const text = await move("git_fetch", { remote, refspec, prune: true });
        assert.match(
          text,
          /does not match|is not allowed: expected|fatal: [Ii]nvalid refspec/,
          refspec,
        );
      }
      assert.match(await move("git_pull", { remote: url, branch: refspec }), /pattern|confirm/);
    }
    for (const remote of [url, "origin"]) {
      await move("git_fetch", { remote, prune: true, tags: true });
      await move("git_fetch", { remote, prune: true, refspec: "main" });
    }
    const fetched = await move("git_fetch", {
      remote: "origin",
      prune: true,
      refspec: "+refs/heads/*:refs/remotes/origin/*",
    });
    assert.doesNotMatch(fetched, /fatal|refused/);
    // Copies of a remote come and go with it
    assert.equal(
      await refs(repo),
      before.replace("refs/stash", "refs/remotes/origin/main\nrefs/stash"),
    );
    assert.match(await git(repo, "stash", "list"), /stash@\{0\}/);
    // The call asks for a confirmation, and no person is there
    assert.match(
      await move("git_branch_delete", { name: "work", force: true }),
      /requires confirmation/,
    );
    assert.match(await move("git_pull", { remote: url, branch: "main" }), /requires confirmation/);
  }, { policy: "default: enabled\nconfirm: destructive\n" }));

here.test("what only reads reaches no host that the repository names", () =>
  withAgent(async ({ repo, served, remote, move }) => {
    await git(join(served, "evil.git"), "config", "uploadpack.allowFilter", "true");
    await git(join(served, "evil.git"), "config", "uploadpack.allowAnySHA1InWant", "true");
    const url = `${remote}/evil.git`;
    await git(repo, "clone", "--quiet", "--filter=blob:none", "--no-checkout", url, "lazy");
    const directory = "lazy";
    for (
      const [tool, args] of [
        ["git_show", { revision: "HEAD:config" }],
        ["git_show", {}],
        ["git_log", { patch: true }],
        ["git_grep", { pattern: "core", cached: true }],
        ["git_blame", { revision: "HEAD", path: "config" }],
        ["git_diff", { revision: "HEAD" }],
      ] as const
    ) {
      assert.doesNotMatch(await move(tool, { ...args, directory }), /fsmonitor/, tool);
    }
    assert.match(await move("git_show", { directory }), /transport 'git' not allowed/);
    const missing = ["rev-list", "--objects", "--all", "--missing=print"];
    assert.match(await git(join(repo, directory), ...missing), /^\?/m);
    // Tools that change files may fetch what they write
    assert.doesNotMatch(
      await move("git_reset_hard", { revision: "HEAD", directory }),
      /not allowed/,
    );
    assert.match(await move("git_show", { revision: "HEAD:config", directory }), /fsmonitor/);
  }));
