/**
 * The bundled git config against files of the person's: those that git ignores, a project's configs, and what
 * a text converter would decrypt. Over MCP, against the real git.
 */

import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { privateNames } from "../../../src/exec/private_paths.ts";
import { repository, whyNot } from "../../configs/_programs.ts";
import { connect } from "../../e2e/_clients.ts";
import { commit, git, held, newFile, withAgent } from "../../e2e/_git_agent.ts";
import { exists, writeFiles } from "../../e2e/_scratch.ts";
import { testsUnless } from "../../_requirements.ts";

const ignore = Deno.build.os === "windows" || await whyNot("git") !== undefined;
const here = testsUnless(ignore);

here.test("what writes over ignored files is refused, or called destructive", () =>
  withAgent(async ({ repo, client, move }) => {
    await commit(repo, { ".gitignore": ".env\n" }, "ignore");
    await git(repo, "switch", "--quiet", "--create", "evil");
    await commit(repo, { ".env": "EVIL" }, "evil");
    await git(repo, "switch", "--quiet", "main");
    await Deno.writeTextFile(join(repo, ".env"), "MINE");
    await move("git_switch", { branch: "evil" });
    await move("git_switch", { branch: "evil", detach: true });
    await move("git_switch_create", { name: "x", start_point: "evil" });
    await move("git_apply", { patch: newFile(".env", "EVIL", "100644") });
    for (const tool of ["git_merge", "git_cherry_pick", "git_revert"]) {
      assert.match(
        await move(tool, { revision: "evil" }),
        /'\.env' is here, and git does not/,
        tool,
      );
    }
    assert.match(
      await move("git_rebase", { upstream: "evil" }),
      /'\.env' is here, and git does not/,
    );
    assert.match(await move("git_reset", { revision: "evil" }), /requires confirmation/);
    assert.match(await move("git_pull", { branch: "evil" }), /requires confirmation/);
    assert.equal(await Deno.readTextFile(join(repo, ".env")), "MINE");
    assert.ok(client);
    await move("git_switch_create", { name: "y" });
    assert.equal(await move("git_branch_current"), "y");
    // No person is asked where nothing is lost: the reflog has it
    const last = await git(repo, "rev-parse", "HEAD");
    await move("git_commit", { message: "other", amend: true, allow_empty: true });
    assert.notEqual(await git(repo, "rev-parse", "HEAD"), last);
    await move("git_reset_soft", { revision: "HEAD@{1}" });
    assert.equal(await git(repo, "rev-parse", "HEAD"), last);
  }, { policy: "default: enabled\nconfirm: destructive\n" }));

here.test("an agent cannot write a project's configs by a patch", () =>
  withAgent(async ({ repo, move }) => {
    for (const path of [".climax/git.yaml", ".CLIMAX/git.yaml", "sub/.climax/git.yaml"]) {
      assert.match(await move("git_apply", { patch: newFile(path, "x") }), held, path);
    }
    const quoted = newFile("x", "x").replaceAll("a/x", '"a/\\056climax/q"')
      .replaceAll("b/x", '"b/\\056climax/q"');
    assert.match(await move("git_apply", { patch: quoted }), held);
    assert.equal(await exists(join(repo, ".climax")), false);
    assert.equal(await exists(join(repo, "sub")), false);
    assert.match(await move("git_apply", { patch: newFile("climax/a", "x") }), /Applied patch/);
    assert.equal(await Deno.readTextFile(join(repo, "climax/a")), "x\n");
    // Nor take one away by a pattern that fits it
    await writeFiles(repo, { ".climax/a.yaml": "a\n" });
    await git(repo, "add", "--force", ".");
    await git(repo, "commit", "--quiet", "--message=configs");
    for (const path of [".climax", ".clima?", ".clima*", "*.yaml", "."]) {
      await move("git_rm", { path, recursive: true });
      await move("git_restore", { path, source: "HEAD~1", staged: true, worktree: true });
    }
    assert.equal(await exists(join(repo, "climax/a")), false);
    // Nor by the old name of a patch, which needs no word of a rename
    const renames = [["rename from a/x", "rename to b/x"], ["copy from a/x", "copy to b/x"], [
      "--- a/x",
      "+++ b/x",
      "@@ -1 +1 @@",
      "-a",
      "+b",
    ]];
    for (const old of [".climax/a.yaml", ".CLImax/a.yaml", '"\\056climax/a.yaml"']) {
      for (const lines of renames) {
        const patch = ["diff --git a/x b/x", ...lines, ""].join("\n")
          .replaceAll("from a/x", `from ${old}`).replaceAll("to b/x", "to moved.yaml")
          .replaceAll("a/x", `a/${old}`.replace('a/"', '"a/')).replaceAll("b/x", "b/moved.yaml");
        assert.match(await move("git_apply", { patch }), held, patch);
      }
    }
    const rename = "diff --git a/b.txt b/c.txt\nsimilarity index 100%\n" +
      "rename from b.txt\nrename to c.txt\n";
    assert.match(await move("git_apply", { patch: newFile("b.txt", "b"), index: true }), /Applied/);
    assert.match(await move("git_apply", { patch: rename }), /b\.txt => c\.txt cleanly/);
    // Nor by putting it aside, or in a commit
    await Deno.writeTextFile(join(repo, ".climax/a.yaml"), "mine\n");
    await writeFiles(repo, { ".climax/b.yaml": "b\n", "new.txt": "new\n" });
    assert.match(await move("git_stash_push", { include_untracked: true }), /Saved/);
    assert.equal(await exists(join(repo, "new.txt")), false);
    assert.equal(await exists(join(repo, ".climax/b.yaml")), true);
    await move("git_add", { all: true });
    assert.doesNotMatch(await move("git_status", { short: true }), /^[^ ?]. \.climax/m);
    assert.equal(await Deno.readTextFile(join(repo, ".climax/a.yaml")), "mine\n");
    // Line ends of Windows, and control characters, are data
    const patch = newFile("dos.txt", "a\r\n\x0c\x1b[0m", "100644");
    assert.match(await move("git_apply", { patch, index: true }), /Applied patch/);
    assert.equal(await Deno.readTextFile(join(repo, "dos.txt")), "a\r\n\x0c\x1b[0m\n");
    // Nor what climax starts, and what was accepted of it
    for (
      const name of ["climax.json", "Tamamo-X.config.json", ".MCP.json", ".tamamo-x/lock.json"]
    ) {
      for (const path of [name, `sub/${name}`]) {
        await move("git_apply", { patch: newFile(path, "x") });
        assert.match(await move("git_mv", { source: "dos.txt", destination: path }), held, path);
        assert.equal(await exists(join(repo, path)), false, path);
      }
    }
    const lock = ".tamamo-x/lock.json";
    await Deno.mkdir(join(repo, ".tamamo-x"));
    await Deno.writeTextFile(join(repo, lock), "a\n");
    await move("git_stash_push", { include_untracked: true });
    await git(repo, "add", lock);
    await git(repo, "commit", "--quiet", "--message=lock");
    await move("git_rm", { path: "*.json", recursive: true });
    assert.match(await move("git_rm", { path: lock }), held);
    const taken =
      `diff --git a/${lock} b/x\nsimilarity index 100%\nrename from ${lock}\nrename to x\n`;
    for (const each of [taken, taken.replaceAll(lock, `"${lock.replace("t", "\\164")}"`)]) {
      assert.match(await move("git_apply", { patch: each }), held);
    }
    assert.equal(await Deno.readTextFile(join(repo, lock)), "a\n");
  }));

here.test("an agent cannot have a text converter of the person's read a file of its choice", () =>
  withAgent(async ({ repo, trace, move }) => {
    // As of a program that decrypts
    await git(repo, "config", "diff.secrets.textconv", `touch ${trace}; cat`);
    await move("git_apply", {
      patch: newFile(".gitattributes", "* diff=secrets", "100644"),
      index: true,
    });
    await move("git_commit", { message: "x" });
    await Deno.writeTextFile(join(repo, "README.md"), "changed\n");
    assert.match(await move("git_diff"), /\+changed/);
    await move("git_diff", { revision: "HEAD~1" });
    assert.match(await move("git_log", { patch: true }), /diff=secrets/);
    await move("git_log", { search: "one" });
    await move("git_show", { revision: "HEAD~1" });
    assert.match(await move("git_show", { revision: "HEAD:README.md" }), /one/);
    assert.match(await move("git_blame", { path: "README.md" }), /changed/);
    await move("git_grep", { pattern: "one", cached: true });
    await move("git_stash_push");
    await move("git_stash_show", { patch: true });
  }));

/** Names of files and folders that the other configs do not read. */
const names = privateNames.filter((name) => ![".git", ".climax"].includes(name))
  .map((name) => name.replace("*", "x"));

here.test("git neither reads nor takes in credentials that it does not track", () =>
  withAgent(async ({ repo, move }) => {
    const paths = names.flatMap((name) => [name, `sub/${name.toUpperCase()}`])
      .concat(names.map((name) => `deep/${name}/file`), ".env.local");
    for (const path of paths) {
      await Deno.mkdir(join(repo, path, ".."), { recursive: true });
      await Deno.writeTextFile(join(repo, path), "hunter2\n");
    }
    await Deno.writeTextFile(join(repo, "sub/plain.txt"), "plain hunter2\n");
    await move("git_init");
    const some = paths.filter((_, at) => at % 20 === 0);
    for (const path of [undefined, ...some, "sub", ".", "*", ".*", "*r[cs]", "deep/*/file"]) {
      const args = path === undefined ? {} : { path: [path] };
      const found = await move("git_grep", { pattern: "hunter2", untracked: true, ...args });
      assert.doesNotMatch(found, /:hunter2/, path);
      await move("git_add", path === undefined ? { all: true } : args);
      await move("git_add", { all: true, ...args });
      assert.doesNotMatch(await move("git_diff", { staged: true }), /^\+hunter2/m, path);
      assert.match(await move("git_blame", { path: path ?? ".env" }), /fatal|never/);
      await move("git_stash_push", { include_untracked: true, ...args });
      assert.doesNotMatch(await move("git_show", { revision: "stash@{0}^3" }), /^\+hunter2/m, path);
      await move("git_stash_pop");
    }
    // A repository of its own gives its files other paths
    for (const tool of ["git_init", "git_grep", "git_add", "git_stash_push"]) {
      const more = tool === "git_grep" ? { pattern: "." } : {};
      assert.match(await move(tool, { directory: "deep/.aws", ...more }), held, tool);
    }
    assert.match(await move("git_init", { path: "deep/.aws" }), held);
    assert.match(await move("git_add", { path: ".env" }), held);
    for (const path of paths) assert.equal(await exists(join(repo, path)), true, path);
    // The rest; of what it has already, nothing that the working tree has
    const plain = await move("git_grep", { pattern: "hunter2", untracked: true });
    assert.match(plain, /sub\/plain\.txt:1:plain hunter2/);
    assert.match(await git(repo, "ls-files"), /sub\/plain\.txt/);
    await git(repo, "add", "--force", ".env.local");
    await git(repo, "commit", "--quiet", "--message=tracked");
    const cached = { pattern: "hunter2", cached: true };
    assert.match(await move("git_grep", cached), /\.env\.local:1:hunter2/);
    assert.match(await move("git_grep", { pattern: "hunter2" }), /Left out, .*: '\.env\.local'/);
    await Deno.writeTextFile(join(repo, ".env.local"), "changed\n");
    assert.doesNotMatch(await move("git_diff"), /\+changed/);
    await move("git_add", { update: true });
    assert.doesNotMatch(await move("git_diff", { staged: true }), /\+changed/);
  }));

here.test("the audit log has what git was given, and what was left out", async () => {
  await using repo = await repository();
  const audit = join(repo.path, "..", `${basename(repo.path)}.jsonl`);
  await commit(repo.path, { ".env": "A=1\n" }, "env");
  await Deno.writeTextFile(join(repo.path, ".env"), "A=2\n");
  {
    await using client = await connect(["git", "--audit", audit], { cwd: repo.path });
    for (const path of [undefined, ["other"], ["."]]) {
      await client.call("climax_call", { tool_name: "git_diff", args: { path } });
    }
  }
  const [entry, other, all] = (await Deno.readTextFile(audit)).trim().split("\n")
    .map((line) => JSON.parse(line));
  await Deno.remove(audit);
  assert.deepEqual([entry.tool, entry.left_out], ["git_diff", [".env"]]);
  assert.deepEqual([other.left_out, all.left_out], [undefined, [".env"]]);
  for (const { words } of [entry, other]) {
    assert.ok(words.includes(":(exclude,top,literal).env"), words);
  }
});
