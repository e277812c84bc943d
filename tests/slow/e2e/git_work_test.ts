/** An agent's usual rows with git: parts of changes, patches, calls at once, stashes that go along, remotes that are paths. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../configs/_programs.ts";
import { connect, textsOf } from "../../e2e/_clients.ts";
import { commit, git } from "../../e2e/_git_agent.ts";
import { exists, scratch } from "../../e2e/_scratch.ts";
import { call } from "../../../src/call/call.ts";
import { openSession } from "../../../src/session/session.ts";
import { textOf } from "../../../src/tool/result.ts";
import { withDirectory } from "../../_io.ts";
import { place, sandboxed } from "../../_sandbox.ts";

const lines = (...changed: readonly number[]) => {
  return Array.from({ length: 30 }, (_, at) => changed.includes(at) ? `new ${at}\n` : `${at}\n`)
    .join("");
};

interface Place {
  readonly repo: string;
  readonly home: string;
  readonly move: (tool: string, args?: Record<string, unknown>) => Promise<string>;
}

/** Serves git in a repository with `a.txt`, which has 30 lines, in a sandbox and without one. */
function both(name: string, use: (place: Place) => Promise<void>): void {
  for (const words of [[], ["--sandbox"]]) {
    const test = words.length === 0 ? Deno.test : sandboxed.test;
    test(`${name} ${words}`, async () => {
      await using folder = await place();
      await using repo = await repository();
      const home = folder.path;
      await commit(repo.path, { "a.txt": lines(), ".env": "A=1\n" }, "lines");
      const env = { HOME: home, GIT_CONFIG_GLOBAL: join(home, ".gitconfig") };
      await Deno.writeTextFile(env.GIT_CONFIG_GLOBAL, "[user]\nname = A\nemail = a@example.org\n");
      await using client = await connect(["git", "--policy", "open", ...words], {
        cwd: repo.path,
        env,
      });
      const move = textsOf(client);
      await use({ repo: repo.path, home, move });
    });
  }
}

both("git_add stages hunks by their numbers", async ({ repo, move }) => {
  // What stands behind a carriage return is no line of the patch
  const text = lines(2, 14, 27).replace("new 14", "new 14\r@@ -9 +9 @@\rdiff --git a/z b/z");
  await Deno.writeTextFile(join(repo, "a.txt"), text);
  await Deno.chmod(join(repo, "a.txt"), 0o755);
  const rows = [
    [{ path: "a.txt", hunks: [4] }, /no hunk 4: git_diff shows 3/],
    [{ hunks: [1] }, /Name that file in path/],
    [{ path: "a.txt", hunks: "0" }, /numbers of hunks/],
    [{ path: "a.txt", patch: true }, /numbers of hunks.*git_apply with cached/s],
    [{ path: "a.txt", hunks: [3, 1], dry_run: true }, /would stage hunk 1, 3 of 3/],
    [
      { path: "a.txt", hunks: [1], unified: 6, dry_run: true },
      /^\[would stage hunk 1 of 1 of a.txt, \+3 -3: @@/,
    ],
  ] as const;
  for (const [args, expected] of rows) assert.match(await move("git_add", args), expected);
  assert.equal(await move("git_diff", { staged: true }), "(no output)");
  assert.match(await move("git_add", { path: "a.txt", hunks: [3, 1] }), /^\[staged hunk 1, 3 of 3/);
  const staged = await move("git_diff", { staged: true });
  assert.deepEqual(staged.match(/^\+new \d+/gm), ["+new 2", "+new 27"]);
  assert.doesNotMatch(staged, /mode/);
  assert.deepEqual((await move("git_diff")).match(/^\+new \d+/gm), ["+new 14"]);
  // Two changes are one hunk, or two
  await git(repo, "reset", "--quiet");
  await Deno.writeTextFile(join(repo, "a.txt"), lines(2, 5));
  const exact = { path: "a.txt", hunks: [2], unified: 0 };
  assert.match(await move("git_add", exact), /^\[staged hunk 2 of 2 of a.txt, \+1 -1: @@ -6 /);
  assert.match(await move("git_diff"), /^\+new 2$/m);
});

both(
  "git_apply takes a text or a file, for the folder, the index or both",
  async ({ repo, move }) => {
    const patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n 0\n-1\n+one\n 2";
    await Deno.writeTextFile(join(repo, "p.patch"), patch);
    await Deno.symlink(join(repo, "p.patch"), join(repo, "link.patch"));
    await Deno.writeTextFile(join(repo, "own.txt"), "untracked\n");
    const rows = [
      [{ patch, path: "p.patch" }, /expected a patch/],
      [{}, /expected a patch/],
      [{ patch: "p.patch" }, /a file with one goes in path/],
      [{ path: "gone.patch" }, /is no file/],
      [{ path: "link.patch" }, /git cannot read/],
      [{ path: "../p.patch" }, /outside|within|not allowed/],
      [{ patch: patch.replaceAll("a.txt", "own.txt") }, /git does not track here/],
      [{ patch: patch.replaceAll("a.txt", "../x.txt") }, /never allowed/],
      [
        { patch: patch.replaceAll("a.txt", ".git/hooks/x") },
        /never allowed/,
      ],
      [{ patch, check: true }, /Checking/],
      // Wrong counts of lines
      [{ patch: patch.replace("-1,3 +1,3", "-1,9 +1,7") }, /Applied patch a.txt cleanly/],
      [{ path: "p.patch", reverse: true }, /cleanly/],
      [{ path: "p.patch", cached: true }, /cleanly/],
    ] as const;
    for (const [args, expected] of rows) assert.match(await move("git_apply", args), expected);
    assert.match(await move("git_status", { short: true }), /^MM a\.txt$/m);
    await git(repo, "reset", "--quiet");
    // The times of a copy are others than those of the index
    await Deno.utime(join(repo, "a.txt"), 1, 1);
    assert.match(await move("git_apply", { path: "p.patch", index: "yes" }), /cleanly/);
    assert.match(await move("git_status", { short: "yes" }), /^M {2}a\.txt$/m);
  },
);

both("a rebase takes changes along", async ({ repo, move }) => {
  await git(repo, "branch", "other");
  await git(repo, "switch", "--quiet", "other");
  await Deno.writeTextFile(join(repo, "a.txt"), lines(27));
  await git(repo, "commit", "--quiet", "--all", "--message=27");
  await git(repo, "switch", "--quiet", "-");
  const first = (await git(repo, "branch", "--show-current")).trim();
  await Deno.writeTextFile(join(repo, "a.txt"), lines(2));
  await Deno.utime(join(repo, ".env"), 1, 1);
  assert.match(await move("git_switch", { branch: "other" }), /overwritten|commit your changes/);
  assert.match(await move("git_checkout", { branch: "new", create: true }), /new branch 'new'/);
  await git(repo, "stash", "--quiet");
  await git(repo, "switch", "--quiet", "other");
  // The same branch by three names, and another one
  await commit(repo, { "b.txt": "b\n" }, "b");
  for (const args of [{ branch: "other" }, { upstream: "other" }, { onto: "other" }]) {
    assert.match(await move("git_rebase", args), /rebased|up to date/, JSON.stringify(args));
  }
  await Deno.writeTextFile(join(repo, "b.txt"), "changed\n");
  const both = { upstream: first, branch: "other", autostash: true };
  assert.match(await move("git_rebase", both), /Applied autostash/);
  assert.equal(await move("git_branch_current"), "other");
  await Deno.writeTextFile(join(repo, ".env"), "A=2\n");
  const refused = /has the name of a credential and was changed/;
  assert.match(await move("git_pull", { autostash: true }), refused);
});

both(
  "a remote that is a path is reached where the person's settings name it",
  async ({ repo, home, move }) => {
    const remote = join(home, "remote.git");
    await git(home, "clone", "--quiet", "--bare", repo, remote);
    await git(repo, "remote", "add", "origin", remote);
    assert.match(await move("git_fetch"), /git config --global --add safe\.directory/);
    const settings = join(home, ".gitconfig");
    await git(home, "config", "--file", settings, "safe.directory", "*");
    assert.match(await move("git_fetch"), /only if a person allows it/);
    await git(home, "config", "--file", settings, "safe.directory", remote);
    // Neither a hook of the other repository nor a program that this one names is run
    const trace = join(home, "trace");
    const hook = `#!/bin/sh\ntouch ${trace}\n`;
    await Deno.writeTextFile(join(remote, "hooks/pre-receive"), hook, { mode: 0o755 });
    for (const end of ["uploadpack", "receivepack"]) {
      await git(repo, "config", `remote.origin.${end}`, `touch ${trace}; false`);
    }
    assert.match(await move("git_fetch"), /new branch/);
    assert.match(await move("git_push", { refspec: "HEAD:refs/heads/mine" }), /new branch/);
    // What a question must name has an argument of its own
    for (const refspec of [":mine", "+HEAD:mine", "+refs/*:refs/*", "+HEAD"]) {
      assert.match(await move("git_push", { refspec }), /is not allowed: expected/, refspec);
    }
    assert.match(await move("git_push", { refspec: "mine", delete: true }), /deleted/);
    assert.equal(await exists(trace), false);
    // A folder is no remote beside one that is allowed
    await git(home, "clone", "--quiet", "--bare", repo, join(repo, "named"));
    const beside = { remote: "named", refspec: "origin" };
    assert.match(await move("git_fetch", beside), /'file' not allowed/);
    // Nor does one of both start transports for what it lacks, with a program that its settings name
    await git(remote, "config", "core.repositoryFormatVersion", "1");
    const armed = [remote, repo];
    for (const each of armed) {
      await git(each, "config", "remote.evil.url", repo);
      await git(each, "config", "remote.evil.promisor", "true");
      await git(each, "config", "remote.evil.uploadpack", `touch ${trace}; git-upload-pack`);
      if (each === remote) {
        await git(each, "config", "extensions.partialClone", "evil");
        await git(each, "config", "remote.evil.partialCloneFilter", "blob:none");
        await Deno.writeTextFile(join(each, "refs/heads/gone"), `${"1".repeat(40)}\n`);
        assert.match(await move("git_push", { refspec: "gone", delete: true }), /deleted/);
      } else {
        assert.match(await move("git_fetch"), /evil\.promisor' makes it reach others/);
      }
      assert.equal(await exists(trace), false);
    }
    await git(repo, "config", "--remove-section", "remote.evil");
    await git(repo, "config", "remotes.origin", "evil");
    assert.match(await move("git_fetch"), /'remotes\.origin' makes it reach others/);
    await git(repo, "config", "--remove-section", "remotes");
    await git(repo, "remote", "set-url", "--add", "--push", "origin", remote);
    await git(repo, "remote", "set-url", "--add", "--push", "origin", "https://a.example/b");
    assert.match(await move("git_push"), /it has other addresses too/);
    await git(repo, "remote", "add", "stranger", join(home, "other.git"));
    assert.match(await move("git_fetch"), /only if a person allows it/);
  },
);

Deno.test("a person who has seen the path of a remote allows it, for that path", async () => {
  await using folder = await scratch();
  await using repo = await repository();
  const remotes = ["one.git", "two.git"].map((name) => join(folder.path, name));
  for (const remote of remotes) {
    await git(folder.path, "clone", "--quiet", "--bare", repo.path, remote);
  }
  await git(repo.path, "remote", "add", "origin", remotes[0]!);
  using _ = withDirectory(repo.path);
  const policy = { file: "ask.yaml", text: "default: enabled\nconfirm: write\n" };
  await using session = await openSession({ configs: ["git"], policy });
  const questions: string[] = [];
  let turn = () => Promise.resolve();
  const fetch = async (run: boolean) => {
    const result = await call(session, { tool: "git_fetch" }, {
      ask: async ({ message }) => {
        questions.push(message);
        await turn();
        const content = { run, remember: "session" };
        return { action: "accept", content };
      },
    });
    return textOf(result);
  };
  assert.match(await fetch(false), /did not say yes/);
  assert.match(await fetch(true), /new branch/);
  assert.match(questions[1]!, /one\.git \(fetch\)/);
  await git(repo.path, "remote", "set-url", "origin", remotes[1]!);
  await fetch(false);
  assert.match(questions.at(-1)!, /two\.git \(fetch\)/);
  // Where a link leads stands in the question, and the yes counts for that
  const link = join(repo.path, "link");
  await Deno.symlink(remotes[0]!, link);
  await git(repo.path, "remote", "set-url", "origin", "./link");
  turn = async () => {
    await Deno.remove(link);
    await Deno.symlink(remotes[1]!, link);
  };
  assert.match(await fetch(true), /has changed since the person agreed/);
  assert.match(questions.at(-1)!, /\.\/link is ".*one\.git"/);
  turn = () => Promise.resolve();
  assert.doesNotMatch(await fetch(true), /refused|not started/);
  assert.match(questions.at(-1)!, /\.\/link is ".*two\.git"/);
});
