/** Sandboxes on a machine that ssh reaches, a real sshd: what they take, show and refuse. See sandbox_attack_test.ts. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { climax } from "../cli/commands/_climax.ts";
import { processTools } from "../_requirements.ts";
import { place, sandboxed } from "../_sandbox.ts";
import { scaledSeconds, until } from "../_wait.ts";
import { runningWith } from "./_processes.ts";
import { openSsh, startSshd } from "./_sshd.ts";

const needed = { ignore: sandboxed.ignore || openSsh.ignore };

const rest = `3600.${crypto.getRandomValues(new Uint32Array(1))[0]}`;

const config = `name: shell
command: /bin/sh
env: { TOKEN: "s3cret 'value'" }
tools:
  - name: shell_run
    argv: ["-c", "{script}"]
    args:
      - { name: script, required: true, text: any }
      - { name: in, cwd: true }
      - { name: input, stdin: true, text: any }
  - name: shell_rest
    argv: ["-c", "trap 'touch ended; exit' TERM; sleep ${rest} & wait"]
    timeout: ${scaledSeconds(1)}
`;

/** A home folder there, a project in it, and what runs a script there. */
async function ground(path: string, keys: object = {}, env = "") {
  const [home, work] = [join(path, "a home"), join(path, "a home", "work")];
  const files = { ".ssh/id": "KEY", "work/below/x": "", "work/has space/x": "", "work/out/x": "" };
  for (const [name, text] of Object.entries(files)) {
    await Deno.mkdir(join(home, name, ".."), { recursive: true });
    await Deno.writeTextFile(join(home, name), text);
  }
  await Deno.writeTextFile(join(path, "shell.yaml"), config);
  await Deno.mkdir(join(path, "sshd"));
  const sshd = await startSshd(join(path, "sshd"), [`SetEnv "HOME=${home}"${env}`]);
  const executor = { ...sshd.executor, working_dir: work, ...keys };
  const policy = JSON.stringify({ executor, default: "enabled" });
  await Deno.writeTextFile(join(path, "policy.yaml"), policy);
  const held = ["--config", "./shell.yaml", "--policy", "policy.yaml"];
  const run = (...words: string[]) => climax(words, { cwd: path, env: { HOME: path } });
  const shell = async (script: string, ...words: string[]) => {
    return (await run("call", "shell_run", `script=${script}`, ...held, ...words)).stdout;
  };
  return {
    home,
    work,
    held,
    run,
    shell,
    [Symbol.asyncDispose]: async () => await sshd[Symbol.asyncDispose](),
  };
}

Deno.test({
  name: "a sandbox that ssh reaches writes in its directory, and passes on all that a call has",
  ...needed,
  async fn() {
    await using dir = await place();
    await using there = await ground(dir.path, { sandbox: {} });
    const { shell, home, work } = there;
    assert.equal(
      await shell("pwd; cat; echo $TOKEN", "input=in 'put'"),
      `${work}\nin 'put's3cret 'value'\n`,
    );
    assert.equal(
      await shell("pwd; touch new && ls", "in=has space"),
      `${work}/has space
new
x
`,
    );
    assert.match(
      await shell("cat ~/.ssh/id; exit 3"),
      /No such file[^]*It ran in a sandbox[^]*\[exit code: 3\]/,
    );
    assert.match(await shell(`touch "${home}/y"`), /Read-only file system/);
    assert.match(await shell("true", "in=gone"), /\[exit code: 126\]/);
    const set = await shell("mkdir .vscode && echo made");
    assert.match(set, /^made\n[^]*'\S.*\/\.vscode': it was renamed to '.*\.vscode\.set-aside'/);
  },
});

Deno.test({
  name: "a sandbox that ssh reaches shows in a dry run, the audit log, lists and validate",
  ...needed,
  async fn() {
    await using dir = await place();
    await using there = await ground(dir.path, { sandbox: { write: ["out"], network: "host" } });
    const { run, held, shell } = there;
    const sandbox = { write: ["out"], network: "host" };
    const plan = await run("call", "shell_run", "script=true", ...held, "--dry-run", "--json");
    assert.deepEqual(JSON.parse(plan.stdout).sandbox, sandbox);
    const audit = join(dir.path, "audit.jsonl");
    assert.match(await shell("touch out/x && touch y", "--audit", audit), /Read-only/);
    assert.deepEqual(JSON.parse(await Deno.readTextFile(audit)).sandbox, sandbox);
    const list = await run("list", "./shell.yaml", "--policy", "policy.yaml");
    assert.match(list.stdout, /sandbox: writes in out; network$/m);
    const checked = await run("validate", "./shell.yaml", "--policy", "policy.yaml");
    assert.deepEqual([checked.code, /127\.0\.0\.1 answers/.test(checked.stdout)], [0, true]);
  },
});

Deno.test({
  name: "--sandbox holds programs there, and a tool may have a sandbox of its own",
  ...needed,
  async fn() {
    await using dir = await place();
    await using there = await ground(dir.path);
    assert.equal(await there.shell("touch ../y && echo free"), "free\n");
    assert.match(await there.shell("touch ../z", "--sandbox"), /Read-only file system/);
    const file = join(dir.path, "policy.yaml");
    const policy = JSON.parse(await Deno.readTextFile(file));
    const { executor } = policy;
    // What another tool may write stays where it is
    const both = {
      executor: { ...executor, sandbox: {} },
      tools: { shell_rest: { sandbox: { write: ["out", "below/x"] } } },
      default: "enabled",
    };
    const { sandbox: _, ...open } = both.executor;
    for (
      const [written, ...words] of [[both], [{ ...both, executor: open }, "--sandbox"]] as const
    ) {
      await Deno.writeTextFile(file, JSON.stringify(written));
      for (const path of ["out", "below", "below/x"]) {
        assert.match(
          await there.shell(`mv ${path} moved; rm -f moved`, ...words),
          /Device or resource busy/,
        );
      }
    }
    await Deno.writeTextFile(file, JSON.stringify(both));
    assert.equal(await there.shell("touch out/new below/x && echo made"), "made\n");
    const tools = { shell_run: { sandbox: { write: [] } } };
    await Deno.writeTextFile(file, JSON.stringify({ ...policy, tools }));
    assert.match(await there.shell("touch z"), /Read-only file system/);
  },
});

Deno.test({
  name: "the bundled git commits there in a sandbox, and its hooks stay closed",
  ...needed,
  async fn() {
    await using dir = await place();
    await using there = await ground(dir.path, { sandbox: {} });
    const { home, work, run } = there;
    const user = "[user]\n\tname = Ada\n\temail = ada@example.org\n";
    await Deno.writeTextFile(join(home, ".gitconfig"), user);
    const git = async (tool: string, ...words: string[]) => {
      const policy = ["--config", "git", "--policy", "policy.yaml"];
      const { code, stdout, stderr } = await run("call", tool, ...words, ...policy);
      assert.equal(code, 0, `${tool}: ${stdout}${stderr}`);
      return stdout;
    };
    await git("git_init");
    await Deno.writeTextFile(join(work, ".git", "hooks", "pre-commit"), "touch ran", {
      mode: 0o755,
    });
    await git("git_add", "directory=below", 'path=["x"]');
    await git("git_commit", "message=One");
    assert.match(await git("git_log"), /Ada/);
    assert.match(await there.shell("touch .git/x"), /Read-only file system/);
  },
});

Deno.test({
  name: "programs that the account would run for others cannot be put in its PATH",
  ...needed,
  async fn() {
    await using dir = await place();
    const bin = join(dir.path, "a home", "work", "bin");
    const path = `${bin}:${join(dir.path, "a home", "work", "none")}:/usr/bin:/bin`;
    await using there = await ground(dir.path, { sandbox: {} }, ` "PATH=${path}"`);
    await Deno.mkdir(bin);
    assert.match(await there.shell("touch bin/readlink"), /Read-only file system/);
    assert.match(await there.shell("mv bin x"), /Device or resource busy/);
    assert.match(await there.shell("mkdir none"), /none': it was renamed to/);
  },
});

const refusals: readonly (readonly [what: string, sandbox: object, said: RegExp])[] = [
  [
    "a path that is not there",
    { write: ["gone"] },
    /A sandbox cannot be made there: 'gone' is not there/,
  ],
  ["a link", { write: ["link"] }, /'link' leads to '\/etc': name that/],
  ["a variable of this machine", { write: ["$HOME/x"] }, /'\$HOME\/x' names a variable/],
  ["a path above", { read: ["/", "../x"] }, /'\.\.\/x' begins above the directory/],
];

for (const [what, sandbox, said] of refusals) {
  Deno.test({
    name: `a sandbox that ssh reaches is refused with ${what}`,
    ...needed,
    async fn() {
      await using dir = await place();
      await using there = await ground(dir.path, { sandbox });
      await Deno.symlink("/etc", join(there.work, "link"));
      const { held, run, work } = there;
      const { code, stdout, stderr } = await run("call", "shell_run", "script=touch ran", ...held);
      assert.notEqual(code, 0);
      assert.match(stdout + stderr, said);
      await assert.rejects(Deno.stat(join(work, "ran")), Deno.errors.NotFound);
    },
  });
}

Deno.test({
  name: "a machine without bubblewrap stops the start, with the remedy",
  ...needed,
  async fn() {
    await using dir = await place();
    const bin = join(dir.path, "bin");
    await Deno.mkdir(bin);
    for (const tool of ["sh", "dd"]) {
      await Deno.symlink(`/usr/bin/${tool}`, join(bin, tool));
    }
    await using there = await ground(dir.path, { sandbox: {} }, ` PATH=${bin}`);
    for (
      const words of [["call", "shell_run", "script=true", ...there.held], [
        "validate",
        "./shell.yaml",
        ...there.held.slice(2),
      ]]
    ) {
      const { code, stdout, stderr } = await there.run(...words);
      assert.equal(code, 1);
      assert.match(stdout + stderr, /bubblewrap \(bwrap\) is not on PATH; install it/);
    }
  },
});

Deno.test({
  name: "a timeout asks the program there to end, and ends what has left it",
  ignore: needed.ignore || processTools.ignore,
  async fn() {
    await using dir = await place();
    await using there = await ground(dir.path, { sandbox: {} });
    const { stdout } = await there.run("call", "shell_rest", ...there.held);
    assert.match(stdout, /timed out/);
    await until(() => runningWith(rest).length === 0, "the end of the program");
    await until(async () => {
      return await Deno.stat(join(there.work, "ended")).then(() => true, () => false);
    }, "what the program does at its end");
  },
});
