/** `climax completions`: the scripts, in the shells they are for. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { programs as needs, type Requirement, unix } from "../../_requirements.ts";
import { type Scratch, scratch } from "../../e2e/_scratch.ts";
import { climax as commandLine, environment } from "../../e2e/_server.ts";
import { climax, ends } from "./_climax.ts";
import { runToEnd } from "../../_run.ts";

const shells = ["bash", "zsh", "fish"] as const;

/** A line that prints the candidates for the words, one a line, in the shell after its script. */
const asking = {
  bash: (script: string, words: string[]) => `
    source '${script}'
    COMP_WORDS=(climax ${words.map((word) => `'${word}'`).join(" ")})
    COMP_CWORD=${words.length}
    $(complete -p climax | sed 's/.*-F \\([^ ]*\\).*/\\1/')
    printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (script: string, words: string[]) => `
    compdef() { :; }
    compadd() { while [[ $1 != -a ]]; do shift; done; print -l -- "\${(@P)2}"; }
    _files() { :; }
    source '${script}'
    words=(climax ${words.map((word) => `'${word}'`).join(" ")})
    CURRENT=${words.length + 1}
    _climax`,
  fish: (script: string, words: string[]) => `
    source '${script}'
    complete --do-complete 'climax ${words.join(" ")}' | string replace -r '\\t.*' ''`,
};

async function installed(shell: string): Promise<Requirement> {
  if (Deno.build.os === "windows") return { ignore: true };
  return await needs({ [shell]: ["--version"] });
}

let dir: Scratch;
Deno.test.beforeAll(async () => {
  dir = await scratch();
  const shim = `#!/bin/sh\nexec ${commandLine().map((word) => `'${word}'`).join(" ")} "$@"\n`;
  await Deno.writeTextFile(join(dir.path, "climax"), shim, { mode: 0o755 });
});
Deno.test.afterAll(async () => await dir[Symbol.asyncDispose]());

for (const shell of shells) {
  const { ignore } = await installed(shell);

  Deno.test(`climax completions ${shell} completes in ${shell}`, { ignore }, async () => {
    const { stdout } = await ends(climax(["completions", shell]), { code: 0 });
    const script = join(dir.path, `${shell}-completions`);
    await Deno.writeTextFile(script, stdout);
    const env = environment({ PATH: `${dir.path}:${Deno.env.get("PATH")}`, LC_ALL: "C.UTF-8" });
    const ask = async (...words: string[]) => {
      const ran = runToEnd([shell, "-c", asking[shell](script, words)], { env });
      const { stdout } = await ends(ran, { stderr: "" });
      return stdout.trim().split("\n");
    };
    assert.deepEqual(await ask("vali"), ["validate"]);
    assert.deepEqual(await ask("run", "gi"), ["git"]);
    assert.deepEqual(await ask("call", "git_status"), ["git_status"]);
    assert.deepEqual(await ask("run", "--class"), ["--classic"]);
    if (shell === "fish") assert.deepEqual(await ask("run", "--policy", "READ"), ["README.md"]);
    const all = await ask("call", "git_st");
    assert.equal(all.every((name) => name.startsWith("git_st")) && all.length > 1, true);
    assert.equal(all.includes("git_status"), true);
    assert.deepEqual(await ask("search", "--category", "vc"), ["vcs"]);
    assert.deepEqual(await ask("call", "git_log", "max"), ["max_count="]);
    assert.deepEqual(await ask("run", "--policy", "git-r"), ["git-readonly"]);
    assert.deepEqual(await ask("policy", "ex"), ["explain"]);
    if (shell === "bash") assert.deepEqual(await ask("run", "@", "de"), ["@dev"]);
    else assert.deepEqual(await ask("run", "@de"), ["@dev"]);
    // Bash asks for what is behind the '=' alone
    const values = shell === "bash" ? await ask("call", "git_log", "oneline", "=", "t") : [];
    if (shell === "bash") assert.deepEqual(values, ["true"]);
    else assert.deepEqual(await ask("call", "git_log", "oneline=t"), ["oneline=true"]);
  });
}

unix.test("in bash, a value that a shell would run or take apart is quoted", async () => {
  const config = `name: mine
description: Mine
command: echo
tools: [{ name: mine_say, description: Say, args: [{ name: what, positional: true, enum: ["$(touch ran)", "x y"] }] }]
`;
  await using home = await scratch({ "mine.yaml": config });
  await Deno.writeTextFile(
    join(home.path, "script"),
    (await climax(["completions", "bash"])).stdout,
  );
  const words = ["call", "./mine.yaml", "--", "mine_say", "what", "="];
  const env = environment({ PATH: `${dir.path}:${Deno.env.get("PATH")}` });
  const ran = runToEnd(["bash", "-c", asking.bash("./script", words)], { env, cwd: home.path });
  await ends(ran, { stderr: "", stdout: "\\$\\(touch\\ ran\\)\nx\\ y\n" });
});

Deno.test("climax completions takes the shells it knows, and no others: exit code 2", async () => {
  const { stderr } = await ends(climax(["completions", "tcsh"]), { code: 2 });
  for (const shell of shells) assert.equal(stderr.includes(shell), true);
});

const unknownShells: readonly [string, RegExp][] = [
  ["", /^error: Which shell is yours is not known: SHELL is not set$/m],
  ["/bin/dash", /^error: Which shell is yours is not known: SHELL is '\/bin\/dash'$/m],
];

for (const [login, message] of unknownShells) {
  Deno.test(`climax completions asks which shell is meant, SHELL=${login}`, async () => {
    await ends(climax(["completions"], { env: { SHELL: login } }), {
      code: 2,
      stderr: [message, /^ {2}hint: Name one of bash, zsh, fish: climax completions bash$/m],
    });
  });
}

Deno.test("climax completions prints the script of the shell that is the person's", async () => {
  const { stdout } = await climax(["completions"], { env: { SHELL: "/usr/bin/fish" } });
  assert.equal(stdout, (await climax(["completions", "fish"])).stdout);
});
