/** An agent may have written what git reads in a repository: the index, links, submodules, and the folders above. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../configs/_programs.ts";
import { unix as here } from "../../_requirements.ts";
import { place, sandboxed } from "../../_sandbox.ts";
import { connect, textsOf } from "../../e2e/_clients.ts";
import { git, withAgent } from "../../e2e/_git_agent.ts";
import { exists, scratch, writeFiles } from "../../e2e/_scratch.ts";
import { until } from "../../_wait.ts";

/** Writes an index of version 2 with `paths`, which git itself would not take. */
async function poison(repo: string, ...paths: string[]): Promise<void> {
  await Deno.writeTextFile(join(repo, "content"), "agent\n");
  const id = (await git(repo, "hash-object", "-w", "content")).trim();
  await Deno.remove(join(repo, "content"));
  const parts: Uint8Array[] = [];
  const header = new DataView(new ArrayBuffer(12));
  header.setUint32(0, 0x44495243);
  header.setUint32(4, 2);
  header.setUint32(8, paths.length);
  parts.push(new Uint8Array(header.buffer));
  for (const path of paths.toSorted()) {
    const name = new TextEncoder().encode(path);
    const entry = new Uint8Array(Math.ceil((62 + name.length + 1) / 8) * 8);
    new DataView(entry.buffer).setUint32(24, 0o100755);
    entry.set(Uint8Array.fromHex(id), 40);
    new DataView(entry.buffer).setUint16(60, name.length);
    entry.set(name, 62);
    parts.push(entry);
  }
  const body = new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-1", body));
  await Deno.writeFile(join(repo, ".git", "index"), new Uint8Array([...body, ...sum]));
}

for (const path of ["../victim", ".git/hooks/post-checkout", "sub/.GIT/config"]) {
  here.test(`no tool of git follows the name ${path} in the index`, () =>
    withAgent(async ({ repo, move }) => {
      await poison(repo, path);
      await Deno.writeTextFile(join(repo, "..", "victim"), "SECRET\n");
      for (
        const [tool, args] of [
          ["git_status", {}],
          ["git_grep", { pattern: "." }],
          ["git_diff", {}],
          ["git_restore", { path: ["."] }],
          ["git_stash_push", {}],
          ["git_log", {}],
        ] as const
      ) assert.match(await move(tool, args), /the index of git has the name/, tool);
      assert.equal(await Deno.readTextFile(join(repo, "..", "victim")), "SECRET\n");
      await Deno.remove(join(repo, "..", "victim"));
    }));
}

here.test("no tool of git reads or writes by a link in the place of a folder", () =>
  withAgent(async ({ repo, home, move }) => {
    await writeFiles(repo, { "d/f": "tracked\n" });
    await git(repo, "add", "--all");
    await git(repo, "commit", "--quiet", "--message=d");
    await Deno.rename(join(repo, "d"), join(repo, "e"));
    await Deno.symlink("e", join(repo, "d"));
    assert.match(await move("git_grep", { pattern: "tracked" }), /d\/f:1:tracked/);
    await Deno.remove(join(repo, "d"));
    await Deno.writeTextFile(join(home, "f"), "SECRET\n");
    await Deno.symlink(home, join(repo, "d"));
    for (const tool of ["git_grep", "git_diff", "git_status", "git_restore", "git_blame"]) {
      const said = await move(tool, {
        ...(tool === "git_grep" ? { pattern: "." } : {}),
        ...(/restore|blame/.test(tool) ? { path: "d/f" } : {}),
      });
      assert.match(said, /is a link|lies outside/, tool);
    }
    assert.equal(await Deno.readTextFile(join(home, "f")), "SECRET\n");
  }));

/** A branch `b` that tracks `.env`; on `main` a file of that name is there, and git does not track it. */
async function withCredential(repo: string): Promise<void> {
  await writeFiles(repo, { app: "one\n", ".gitignore": ".env\n" });
  await git(repo, "add", "--all");
  await git(repo, "commit", "--quiet", "--message=first");
  await git(repo, "switch", "--quiet", "--create", "b");
  await Deno.writeTextFile(join(repo, ".env"), "dummy\n");
  await git(repo, "add", "--force", "--all");
  await git(repo, "commit", "--quiet", "--message=env");
  await git(repo, "switch", "--quiet", "main");
  await Deno.writeTextFile(join(repo, ".env"), "REAL\n");
}

here.test("a commit with the name of a credential comes in over no file of that name", () =>
  withAgent(async ({ repo, move }) => {
    await withCredential(repo);
    for (
      const [tool, args] of [
        ["git_reset", { revision: "b" }],
        ["git_reset_hard", { revision: "b" }],
        ["git_reset_soft", { revision: "b" }],
        ["git_restore", { source: "b", path: ["."] }],
        ["git_merge", { revision: "b" }],
        ["git_cherry_pick", { revision: ["main..b"] }],
        ["git_rebase", { upstream: "b" }],
        ["git_bisect_start", { bad: "b", good: ["main"] }],
      ] as const
    ) assert.match(await move(tool, args), /'\.env' is here, and git does not track it/, tool);
    const some = await move("git_bisect_start", { bad: "b", good: ["main"] });
    assert.match(some, /: a commit where a bisection may stop has another file of that name/);
    assert.match(await move("git_switch", { branch: "b" }), /overwritten by checkout/);
    assert.equal(await Deno.readTextFile(join(repo, ".env")), "REAL\n");
    await Deno.remove(join(repo, ".env"));
    assert.match(await move("git_merge", { revision: "b" }), /Fast-forward/);
  }));

here.test("what git tracks and has the name of a credential is not read from the working tree", () =>
  withAgent(async ({ repo, move }) => {
    await withCredential(repo);
    await git(repo, "reset", "--quiet", "b");
    await Deno.writeTextFile(join(repo, "app"), "two\n");
    const diff = await move("git_diff");
    assert.match(diff, /\+two[^]*Left out, as no tool may read it or take it in: '\.env'/);
    assert.match(await move("git_grep", { pattern: "two" }), /app:1:two/);
    const rename = "diff --git a/.env b/x\nsimilarity index 100%\nrename from .env\nrename to x\n";
    const twice = "diff --git a/.env b/.env\nold mode 100644\nnew mode 100755\n" +
      rename.replaceAll("rename", "copy");
    for (
      const [tool, args, expected] of [
        ["git_diff", { revision: "HEAD" }, /\+two/],
        ["git_grep", { pattern: "REAL" }, /^nothing matched|Left out/],
        ["git_grep", { pattern: "REAL|--cached", extended_regexp: true }, /Left out/],
        ["git_grep", { pattern: "--cached" }, /Left out|leading|dash/],
        ["git_blame", { path: ".env" }, /never allowed/],
        ["git_mv", { source: ".env", destination: "x" }, /never allowed/],
        ["git_apply", { patch: rename }, /changes '\.env', the name of a credential, to another/],
        ["git_apply", { patch: twice }, /changes '\.env', the name of a credential, to another/],
        ["git_rebase", { upstream: "HEAD", autostash: true }, /the stash would take it in/],
        ["git_stash_push", {}, /Saved/],
        ["git_stash_show", { patch: true }, /\+two/],
        ["git_stash_pop", {}, /Dropped/],
        ["git_add", { update: true }, /Left out/],
        ["git_commit", { message: "m", all: true }, /1 file changed/],
        ["git_show", { patch: true }, /./],
        ["git_log", { patch: true }, /\+two/],
      ] as const
    ) {
      const said = await move(tool, args);
      assert.match(said, expected, tool);
      assert.doesNotMatch(said, /REAL$/m, tool);
    }
    assert.match(await move("git_diff", { revision: "b~1..b" }), /\+dummy/);
  }));

here.test("git uses no repository above the served folder, and says which folder to serve", async () => {
  await using repo = await repository();
  const top = await Deno.realPath(repo.path);
  const below = join(top, "below");
  await Deno.mkdir(below);
  await Deno.writeTextFile(join(top, "other"), "OUTSIDE\n");
  await Deno.writeTextFile(join(below, "f"), "f\n");
  await git(top, "add", "--all");
  await git(top, "commit", "--quiet", "--message=x");
  await Deno.writeTextFile(join(top, "other"), "OUTSIDE changed\n");
  await using client = await connect(["git"], { cwd: below });
  const call = textsOf(client);
  for (const tool of ["git_diff", "git_show", "git_stash_push", "git_add", "git_status"]) {
    const said = await call(tool, tool === "git_add" ? { all: true } : {});
    assert.match(said, /belongs to the repository of '.*Ask a person to start climax in/s, tool);
    assert.doesNotMatch(said, /OUTSIDE/);
  }
  assert.match(await call("git_init", { path: "own" }), /Initialized/);
  assert.match(await call("git_status", { directory: "own" }), /No commits yet/);
  // By a link, and in a folder below the one that is served
  const link = `${top}-link`;
  await Deno.symlink(top, link);
  await using above = await connect(["git"], { cwd: link });
  const args = { tool_name: "git_status", args: { directory: "below" } };
  assert.match((await above.call("climax_call", args)).text, /other/);
  await Deno.remove(link);
});

here.test("git_worktree_remove removes the working tree at the path that was checked", () =>
  withAgent(async ({ repo, home, move }) => {
    await git(repo, "worktree", "add", "--quiet", join(home, "tree"));
    await Deno.mkdir(join(repo, "in"));
    await git(repo, "worktree", "add", "--quiet", join(repo, "in", "own"));
    for (const path of ["tree", "./tree", join(repo, "tree")]) {
      assert.match(await move("git_worktree_remove", { path }), /is not a working tree/, path);
    }
    assert.match(await move("git_worktree_remove", { path: "own" }), /is not a working tree/);
    assert.match(await move("git_worktree_remove", { path: "in/own" }), /no output/);
    assert.equal(await exists(join(home, "tree", ".git")), true);
  }));

here.test("a folder that says that another repository is its own is refused", () =>
  withAgent(async ({ repo, home, move }) => {
    await git(home, "init", "--quiet", "other");
    await git(join(home, "other"), "commit", "--quiet", "--allow-empty", "--message=SECRET");
    await writeFiles(repo, { "sub/.git": `gitdir: ${home}/other/.git\n` });
    const said = await move("git_log", { directory: "sub" });
    assert.match(said, /which knows nothing of it/);
  }));

/** An agent whose programs are all held, or by `policy`. */
async function heldAgent(cwd: string, home: string, configs: string[] = ["git"]) {
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, ".config") };
  const client = await connect([...configs, "--sandbox"], { cwd, env });
  const call = textsOf(client);
  return { call, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
}

/** A repository with a submodule, a linked working tree and hooks of the person. */
async function everyKind(path: string): Promise<string> {
  const [lib, repo, home] = ["lib", "repo", "home"].map((name) => join(path, name));
  await Deno.mkdir(home!);
  for (const folder of [lib!, repo!]) {
    await git(path, "init", "--quiet", "--initial-branch=main", folder);
    await git(folder, "config", "user.name", "Ada");
    await git(folder, "config", "user.email", "ada@example.org");
    await Deno.writeTextFile(join(folder, "f"), "1\n");
    await git(folder, "add", "--all");
    await git(folder, "commit", "--quiet", "--message=first");
  }
  const allow = ["-c", "protocol.file.allow=always"];
  await git(repo!, ...allow, "submodule", "--quiet", "add", lib!, "sub");
  await git(repo!, "commit", "--quiet", "--message=sub");
  await git(join(repo!, "sub"), "config", "user.name", "Ada");
  await git(join(repo!, "sub"), "config", "user.email", "ada@example.org");
  await git(repo!, "worktree", "add", "--quiet", "-b", "linked", join(path, "linked"));
  const hook = join(repo!, ".git", "hooks", "pre-commit");
  await Deno.writeTextFile(hook, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  return repo!;
}

for (const kind of ["repo", "repo/sub", "linked"]) {
  sandboxed.test(`held git writes what it has to in ${kind}`, async () => {
    await using dir = await place();
    await everyKind(dir.path);
    const cwd = join(dir.path, kind);
    await using agent = await heldAgent(cwd, join(dir.path, "home"));
    const { call } = agent;
    const change = async (text: string) => {
      await Deno.writeTextFile(join(cwd, "f"), text);
      assert.match(await call("git_add", { path: ["f"] }), /no output/);
      return await call("git_commit", { message: text.trim() });
    };
    const [main] = (await call("git_branch_current")).split("\n");
    assert.match(await call("git_switch_create", { name: "topic" }), /Switched/);
    assert.match(await change("theirs\n"), /\] theirs/);
    assert.match(await call("git_switch", { branch: main }), /Switched/);
    assert.match(await change("ours\n"), /\] ours/);
    assert.match(await call("git_merge", { revision: "topic" }), /CONFLICT/);
    await Deno.writeTextFile(join(cwd, "f"), "both\n");
    await call("git_add", { path: ["f"] });
    assert.match(await call("git_merge_continue"), /\] Merge/);
    assert.match(await call("git_cherry_pick", { revision: ["HEAD^1"] }), /CONFLICT|empty/);
    await call("git_cherry_pick_abort");
    await call("git_switch", { branch: "topic" });
    assert.match(await call("git_rebase", { upstream: `${main}^1` }), /CONFLICT/);
    await Deno.writeTextFile(join(cwd, "f"), "rebased\n");
    await call("git_add", { path: ["f"] });
    assert.match(await call("git_rebase_continue"), /Successfully rebased/);
    await Deno.writeTextFile(join(cwd, "f"), "stashed\n");
    assert.match(await call("git_stash_push"), /Saved/);
    assert.match(await call("git_stash_pop"), /Dropped/);
    assert.match(await call("git_reset_hard", { revision: "HEAD" }), /HEAD is now at/);
    assert.match(await call("git_tag_create", { name: "v1", message: "m" }), /no output/);
    assert.match(await call("git_status"), /nothing to commit|nothing added/);
    assert.doesNotMatch(await git(cwd, "status"), /rebase in progress/);
  });
}

sandboxed.test("held git sees the repository and the settings of the person, and no more", async () => {
  await using dir = await place();
  const repo = await everyKind(dir.path);
  const home = join(dir.path, "home");
  await Deno.writeTextFile(join(dir.path, "secret"), "SECRET\n");
  const filter = (command: string) => `[filter "x"]\n\tclean = "${command}"\n`;
  await writeFiles(home, { more: "[user]\n\tname = Included\n", ignored: "*.log\n" });
  const settings = (command: string) =>
    Deno.writeTextFile(
      join(home, ".gitconfig"),
      `[include]\n\tpath = more\n[core]\n\texcludesFile = ~/ignored\n${filter(command)}`,
    );
  // As people keep it who have their settings in a repository
  await writeFiles(home, { "kept/gitconfig": "" });
  await Deno.symlink("kept/gitconfig", join(home, ".gitconfig"));
  await writeFiles(repo, { ".gitattributes": "g* filter=x\n", "x.log": "" });
  await git(repo, "config", "--unset", "user.name");
  const writes = ["../out", ".git/hooks/x", ".git/config", ".git/info/attributes", "sub/.git"];
  await settings(
    `cat ${dir.path}/secret; ${writes.map((path) => `echo >> ${path};`).join(" ")} cat`,
  );
  await using agent = await heldAgent(repo, home);
  await Deno.writeTextFile(join(repo, "g1"), "text\n");
  const before = await Deno.readTextFile(join(repo, ".git", "config"));
  const said = await agent.call("git_add", { all: true });
  assert.match(said, /secret: No such file[^]*(?:Read-only|Permission)/);
  assert.doesNotMatch(await agent.call("git_diff", { staged: true }), /SECRET/);
  assert.equal(await Deno.readTextFile(join(repo, ".git", "config")), before);
  for (const path of ["../out", ".git/hooks/x"]) {
    assert.equal(await exists(join(repo, path)), false);
  }
  assert.match(await agent.call("git_commit", { message: "m" }), /\] m/);
  assert.match(await agent.call("git_log", { max_count: 1 }), /Included/);
  assert.doesNotMatch(await agent.call("git_ls_files"), /x\.log/);
  // Until the end of its server, a call could still set aside what the person's git writes here
  await agent[Symbol.asyncDispose]();
  await git(repo, "sparse-checkout", "set", "--no-cone", "/f");
  await using later = await heldAgent(repo, home);
  assert.match(await later.call("git_status"), /sparse checkout/);
  assert.match(await later.call("git_grep", { pattern: "1" }), /f:1:1/);
});

sandboxed.test("a bisection that runs a program leaves the repository as it is", async () => {
  await using dir = await place();
  const repo = await everyKind(dir.path);
  for (let count = 2; count < 7; count++) {
    await Deno.writeTextFile(join(repo, "f"), `${count}\n`);
    await git(repo, "commit", "--quiet", "--no-verify", "--all", `--message=${count}`);
  }
  await using agent = await heldAgent(repo, join(dir.path, "home"));
  const run = (script: string) =>
    agent.call("git_bisect_run", { command: ["/bin/sh", "-c", script] });
  assert.match(await run("true"), /no bisection has begun here/);
  await agent.call("git_bisect_start", { bad: "main", good: ["main~5"] });
  const states = async () => {
    const index = await Deno.readFile(join(repo, ".git", "index"));
    return [
      await git(repo, "rev-parse", "HEAD"),
      index.toBase64(),
      await git(repo, "bisect", "log"),
    ];
  };
  const before = await states();
  const changes = "echo x > f; git add f; echo >> .git/config; mkdir .vscode; git stash; " +
    `touch ${repo}/new; git checkout -q -f HEAD;`;
  const said = await run(`${changes} test $(cat f) -lt 4`);
  assert.match(said, /is the first bad commit[^]* {4}4\n/);
  // What git ignores is there, and a command that tells nothing names nothing
  await Deno.mkdir(join(repo, "modules"));
  await Deno.writeTextFile(join(repo, "modules", "limit"), "5");
  await Deno.writeTextFile(join(repo, ".git", "info", "exclude"), "modules/\n");
  const reads = "test $(cat f) -lt $(cat modules/limit) && ! touch modules/x";
  assert.match(await run(reads), /is the first bad commit[^]* {4}5\n/);
  assert.equal(await exists(join(repo, "modules", "x")), false);
  for (const [script, code] of [["false", "1"], ["no-such", "127"], ["exit 125", "125"]]) {
    const failed = await run(script!);
    assert.match(
      failed,
      new RegExp(`No commit is named: .* fails at the good commit \\w+ too, with ${code} `),
    );
  }
  assert.match(
    await run("true"),
    /No commit is named: .* does not fail at the bad commit \w+, with 0,/,
  );
  assert.deepEqual(await states(), before);
  for (const path of ["new", ".vscode"]) assert.equal(await exists(join(repo, path)), false);
  assert.match(await agent.call("git_bisect_bad"), /Bisecting|first bad/);
  assert.match(await agent.call("git_bisect_reset"), /main/);
});

sandboxed.test("a bisection below /tmp has the packages that are installed, and tells what fails at the good commit", async () => {
  await using dir = await scratch();
  const repo = await everyKind(dir.path);
  await writeFiles(repo, { "node_modules/limit": "4\n", ".gitignore": "node_modules\n" });
  for (let count = 2; count < 7; count++) {
    await Deno.writeTextFile(join(repo, "f"), `${count}\n`);
    await git(repo, "add", "--all");
    await git(repo, "commit", "--quiet", "--no-verify", `--message=${count}`);
  }
  await using agent = await heldAgent(repo, join(dir.path, "home"));
  await agent.call("git_bisect_start", { bad: "main", good: ["main~4"] });
  const run = (script: string) => agent.call("git_bisect_run", { command: ["sh", "-c", script] });
  const found = await run("echo > node_modules/new; test $(cat f) -lt $(cat node_modules/limit)");
  assert.match(found, /is the first bad commit[^]* {4}4\n/);
  assert.equal(await exists(join(repo, "node_modules", "new")), false);
  assert.match(await run("test -e nothing"), /fails at the good commit/);
});

const makefile = (script: string) => `all:\n\t@${script}; echo built\n`;

for (
  const [what, script, left] of [
    ["a bare repository", "mkdir objects refs; echo 'ref: refs/heads/x' > HEAD", "HEAD.set-aside"],
    ["Mercurial", "mkdir .hg", ".hg.set-aside"],
    ["a folder that cannot be listed", "mkdir .vscode; chmod 0311 .", ".vscode.set-aside"],
    ["a submodule without .gitmodules", "mkdir link/.git", "link/.git.set-aside"],
    ["an ordinary build", "mkdir objects refs; echo x > objects/o", "objects"],
  ] as const
) {
  sandboxed.test(`what a held program makes of a folder for git is set aside: ${what}`, async () => {
    await using dir = await place();
    const work = join(dir.path, "work");
    await Deno.mkdir(work);
    await Deno.writeTextFile(join(work, "Makefile"), makefile(script));
    if (left.startsWith("link/")) {
      await git(work, "init", "--quiet");
      const id = "1".repeat(40);
      await git(work, "update-index", "--add", "--cacheinfo", `160000,${id},link`);
      await Deno.mkdir(join(work, "link"));
    }
    await using agent = await heldAgent(work, dir.path, ["make"]);
    const said = await agent.call("make_run", {});
    assert.match(said, /built/);
    // Below the top, after all processes have ended
    await until(() => exists(join(work, left)), left);
    if (!left.includes("/")) assert.equal(said.includes("set-aside"), left.includes("set-aside"));
    assert.equal((await Deno.stat(work)).mode! & 0o700, 0o700);
  });
}

sandboxed.test("an index that a held program writes in an open .git is set aside", async () => {
  await using dir = await place();
  const repo = await everyKind(dir.path);
  const good = await Deno.readFile(join(repo, ".git", "index"));
  await poison(repo, "../victim");
  await Deno.rename(join(repo, ".git", "index"), join(repo, "evil"));
  await Deno.writeFile(join(repo, ".git", "index"), good);
  await Deno.writeTextFile(join(repo, "Makefile"), makefile("cp $(with) .git/index; true"));
  const policy = join(dir.path, "policy.yaml");
  const text = 'executor: { type: sandbox, write: [".", ".git"] }\ndefault: enabled\n';
  await Deno.writeTextFile(policy, text);
  await Deno.writeFile(join(repo, "good"), good);
  await using client = await connect(["make", "--policy", policy], { cwd: repo });
  const call = async (name: string) => {
    const args = { variables: [`with=${name}`] };
    return (await client.call("climax_call", { tool_name: "make_run", args })).text;
  };
  assert.doesNotMatch(await call("good"), /set-aside/);
  assert.match(await call("evil"), /index\.set-aside'/);
  assert.equal(await exists(join(repo, ".git", "index")), false);
});
