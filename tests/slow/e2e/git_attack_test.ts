/**
 * The bundled git config as an agent that wants out uses it: to run a program, to write outside the
 * repository, to read a secret. Every move is made over MCP against the real git, without a policy.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { say, whyNot } from "../../configs/_programs.ts";
import { git, held, link, newFile, withAgent } from "../../e2e/_git_agent.ts";
import { exists } from "../../e2e/_scratch.ts";
import { testsUnless } from "../../_requirements.ts";

const here = testsUnless(Deno.build.os === "windows" || await whyNot("git") !== undefined);

here.test("an agent cannot write hooks or configuration by applying a patch in .git", () =>
  withAgent(async ({ repo, trace, move }) => {
    const hook = newFile("hooks/pre-commit", `#!/bin/sh\ntouch ${trace}`);
    for (const directory of [".git", "./.git", ".git/.", ".GIT", join(repo, ".git")]) {
      assert.match(await move("git_apply", { directory, patch: hook }), held, directory);
    }
    // A patch cannot name .git, a way round it, or what lies behind a link
    for (const path of [".git/hooks/pre-commit", ".GIT/hooks/pre-commit", "../x/pre-commit"]) {
      await move("git_apply", { patch: newFile(path, `#!/bin/sh\ntouch ${trace}`) });
    }
    await move("git_apply", { patch: link("l", ".git") });
    await move("git_apply", { patch: newFile("l/hooks/pre-commit", `#!/bin/sh\ntouch ${trace}`) });
    assert.match(await move("git_apply", { directory: "l", patch: hook }), held);
    await move("git_commit", { message: "x", allow_empty: true });
    assert.equal(await exists(join(repo, ".git/hooks/pre-commit")), false);
  }));

here.test("an agent cannot run hooks that lie in the files of the repository", () =>
  withAgent(async ({ repo, trace, move }) => {
    // As husky sets it up: the user's own configuration, the agent's own files
    await git(repo, "config", "core.hooksPath", ".husky");
    const hook = `#!/bin/sh\ntouch ${trace}`;
    const patch = newFile(".husky/pre-commit", hook);
    assert.match(
      await move("git_apply", { patch }),
      /changes '\.husky\/pre-commit', which is never allowed/,
    );
    await Deno.mkdir(join(repo, ".husky"));
    await Deno.writeTextFile(join(repo, ".husky", "pre-commit"), hook, { mode: 0o755 });
    await git(repo, "add", "--all");
    assert.match(await move("git_commit", { message: "x" }), /1 file changed/);
    await move("git_switch_create", { name: "b" });
    await move("git_merge", { revision: "main" });
  }));

here.test("an agent cannot have gpg look at the signature of a hostile commit", () =>
  withAgent(async ({ repo, home, move }) => {
    const gpg = join(home, "gpg");
    await Deno.writeTextFile(gpg, "#!/bin/sh\ntouch $0.ran\n", { mode: 0o755 });
    await say(["git", "config", "gpg.program", gpg], repo);
    const signed =
      "git cat-file commit HEAD | sed 's/^committer.*/&\\ngpgsig -----BEGIN PGP SIGNATURE-----/' | " +
      "git hash-object -t commit -w --stdin | xargs git reset --soft";
    assert.equal((await say(["sh", "-c", signed], repo))?.code, 0);
    for (
      const format of [
        ...["%G?", "%h %GS", "%+G?", "%-GK", "% G?", "%%%G?", "%<(9)%G?", "%-%G?", "%+% %GK"],
      ]
    ) {
      for (const tool of ["git_log", "git_show"]) {
        assert.match(await move(tool, { format }), /'format'.* a format without %G/, format);
      }
    }
    for (const sort of ["signature", "-signature:grade"]) {
      assert.match(await move("git_branch_list", { sort }), /'sort'/);
      assert.match(await move("git_tag_list", { sort }), /'sort'/);
    }
    for (const format of ["%h %an", "%%G %+s%n", "oneline", "100%", "%-%%G"]) {
      assert.doesNotMatch(await move("git_log", { format }), /pattern|fatal/, format);
    }
    assert.doesNotMatch(await move("git_tag_list", { sort: "-creatordate" }), /'sort'|fatal/);
    assert.equal(await exists(`${gpg}.ran`), false);
    // As git itself does
    await say(["git", "log", "--format=%G?"], repo);
    assert.equal(await exists(`${gpg}.ran`), true);
  }));

here.test("an agent that asks for the status leaves the index as it is", () =>
  withAgent(async ({ repo, move }) => {
    const index = join(repo, ".git/index");
    const before = await Deno.readFile(index);
    // By default git notes in the index which touched files have not changed
    await Deno.utime(join(repo, "README.md"), 0, 0);
    for (const tool of ["git_status", "git_log", "git_stash_list"]) await move(tool, {});
    assert.deepEqual(await Deno.readFile(index), before);
  }));

here.test("an agent cannot move files into .git or out of the repository", () =>
  withAgent(async ({ repo, home, move }) => {
    await move("git_apply", { patch: newFile("h", "#!/bin/sh") });
    await move("git_apply", { patch: link("l", home) });
    await move("git_apply", { patch: link("g", ".git/hooks") });
    for (
      const destination of [
        ...[".git/hooks/pre-commit", ".GIT/hooks/pre-commit", "./.git/x", "l/x", "g/pre-commit"],
        ...["../x", home, ":(top).git/x"],
      ]
    ) {
      assert.match(await move("git_mv", { source: "h", destination }), held, destination);
    }
    assert.match(await move("git_mv", { source: ".git/config", destination: "c" }), held);
    assert.equal(await exists(join(repo, "h")), true);
  }));

here.test("an agent cannot make a clone its configuration of git", () =>
  withAgent(async ({ home, remote, move }) => {
    const url = `${remote}/evil.git`;
    for (
      const [path, directory] of [
        ["~/.config/git", undefined],
        [join(home, ".config/git"), undefined],
        [".config/git", undefined],
        ["git", join(home, ".config")],
        ["../x", undefined],
        [".hidden", undefined],
      ]
    ) {
      const args = { url, path, ...(directory && { directory }) };
      assert.match(await move("git_clone", args), held, path);
    }
    // A name that git would make of the URL
    for (const name of [".config", " .config", "x:.config", "x/.git"]) {
      const args = { url: `${remote}/${name}`, path: "n" };
      assert.match(await move("git_clone", args), held, name);
    }
    await move("git_status");
    assert.equal(await exists(join(home, ".config")), false);
  }));

here.test("a repository embedded in hostile content is refused", () =>
  withAgent(async ({ remote, move }) => {
    assert.match(await move("git_clone", { url: `${remote}/evil.git`, path: "c" }), /Cloning/);
    for (const tool of ["git_status", "git_log", "git_diff", "git_ls_files", "git_add"]) {
      const text = await move(tool, {
        directory: "c/docs",
        ...(tool === "git_add" && { all: true }),
      });
      assert.match(
        text,
        /cannot use bare repository|invalid option|outside a repository|usage/i,
        tool,
      );
    }
    assert.match(await move("git_status", { directory: "c" }), /nothing to commit/);
  }));

here.test("an agent cannot make git start a helper or reach another repository of the machine", () =>
  withAgent(async ({ repo, home, trace, move }) => {
    const urls = [
      ...[`ext::sh -c "touch ${trace}"`, `file://${repo}`, repo, "../other", "."],
      ...[`ssh://-oProxyCommand=touch ${trace}/x`, `fd::17/x`],
    ];
    for (const url of urls) {
      for (
        const [tool, args] of [
          ["git_clone", { url, path: "n" }],
          ["git_remote_add", { name: "evil", url }],
          ["git_fetch", { remote: url }],
          ["git_pull", { remote: url }],
          ["git_push", { remote: url }],
        ] as const
      ) {
        const text = await move(tool, args);
        assert.match(
          text,
          /does not match|is not allowed: expected|begins with '-'|must be a URL/,
          `${tool} ${url}`,
        );
      }
    }
    // Remotes by names that are paths, and those that are there already
    await say(["git", "init", "--quiet", "--bare", "named"], repo);
    assert.match(await move("git_fetch", { remote: "named" }), /transport 'file' not allowed/);
    // The repository itself allows none
    const secret = join(home, "secret");
    await say(["git", "clone", "--quiet", "--bare", repo, secret], home);
    await say(["git", "remote", "add", "own", secret], repo);
    await say(["git", "config", "safe.directory", secret], repo);
    assert.match(await move("git_fetch", { remote: "own" }), /only if a person allows it/);
    await say(["git", "remote", "remove", "own"], repo);
    await say(["git", "remote", "add", "origin", `ext::sh -c "touch ${trace}"`], repo);
    assert.match(await move("git_fetch"), /transport 'ext' not allowed/);
  }));

here.test("pathspec magic does not lead out of the directory of a call", () =>
  withAgent(async ({ move }) => {
    for (const path of [":/", ":(top)README.md", ":!x", ":^x", ":(exclude)a"]) {
      for (const tool of ["git_log", "git_diff", "git_add", "git_grep", "git_ls_files"]) {
        const pattern = tool === "git_grep" ? { pattern: "x" } : {};
        // To leave something out leads nowhere, but git_add would take all the rest in
        if (/^:[!^]/.test(path) && tool !== "git_add") continue;
        assert.match(await move(tool, { path, ...pattern }), held, `${tool} ${path}`);
      }
    }
    assert.match(await move("git_log", { revision: ":/x" }), held);
    assert.match(await move("git_ls_files", { path: "*.md" }), /README\.md/);
  }));

here.test("an agent cannot read the credentials in git's configuration", () =>
  withAgent(async ({ repo, move }) => {
    const secret = "hunter2hunter2";
    for (
      const [key, value] of [
        ["http.https://example.org/.extraheader", `Authorization: ${secret}`],
        ["credential.helper", `!echo password=${secret}`],
        ["remote.origin.url", `https://x:${secret}@example.org/a.git`],
        ["sendemail.smtppass", secret],
      ]
    ) {
      await say(["git", "config", key!, value!], repo);
      assert.equal((await move("git_config_get", { key })).includes(secret), false, key);
    }
    assert.equal(
      await move("git_remote_list"),
      "origin\thttps://***@example.org/a.git (fetch)\norigin\thttps://***@example.org/a.git (push)",
    );
    const fetched = await move("git_fetch");
    assert.equal(fetched.includes(secret), false, fetched);
  }));

here.test("an agent that asks for the status enters no submodule", () =>
  withAgent(async ({ repo, trace, move }) => {
    const made = `git init -q sub && cd sub && echo '* filter=x' >.gitattributes && echo 1 >f &&
      git add . && git commit -qm x && cd .. && git add sub && git commit -qm sub &&
      git config --file .gitmodules submodule.sub.path sub &&
      git config --file .gitmodules submodule.sub.ignore none &&
      git -C sub config filter.x.clean 'touch ${trace}; cat' && echo 2 >sub/f`;
    assert.equal((await say(["sh", "-c", made], repo))?.code, 0);
    assert.match(await move("git_status"), /working tree clean|untracked/);
    for (const args of [{}, { revision: "HEAD" }, { stat: true }, { path: ["sub"] }]) {
      assert.doesNotMatch(await move("git_diff", args), /sub|fatal/);
    }
    // As git itself does
    assert.equal(await exists(trace), false);
    await say(["git", "status"], repo);
    assert.equal(await exists(trace), true);
    await Deno.remove(trace);
  }));
