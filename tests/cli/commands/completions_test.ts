/** `climax completions`: the scripts, in the shells they are for. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { programs as needs, type Requirement } from "../../_requirements.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { environment } from "../../e2e/_server.ts";
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
    compadd() { shift; print -l -- "\${(@M)@:#${words.at(-1)}*}"; }
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

/** Words, the last of them unfinished, with what must and must not be offered for it. */
const cases: readonly [words: string[], offered: string[], not: string[]][] = [
  [[""], ["run", "list", "git", "@dev", "mine"], ["explain", "x;touch"]],
  [["vali"], ["validate"], ["git"]],
  [["run", "gi"], ["git"], ["go"]],
  [["run", "@de"], ["@dev"], ["docker"]],
  [["run", "git", "--class"], ["--classic"], []],
  [["git", "--class"], ["--classic"], []],
  [["list", "mi"], ["mine"], []],
  [["policy", "ex"], ["explain"], []],
  [["policy", "explain", "--st"], ["--strict"], []],
  [["connect", "cl"], ["claude-code", "cline"], ["cursor"]],
  [["help", "se"], ["search"], []],
  [["completions", "f"], ["fish"], []],
];

for (const shell of shells) {
  const { ignore } = await installed(shell);

  Deno.test(`climax completions ${shell} completes in ${shell}`, { ignore }, async () => {
    const config = "name: mine\ndescription: Mine\ncommand: echo\ntools: []\n";
    await using dir = await scratch({
      ".climax/mine.yaml": config,
      ".climax/x;touch ran.yaml": config,
    });
    const { stdout } = await ends(climax(["completions", shell], { cwd: dir.path }), { code: 0 });
    const script = join(dir.path, "script");
    await Deno.writeTextFile(script, stdout);
    for (const [words, offered, not] of cases) {
      const line = [shell, "-c", asking[shell](script, words)];
      const ran = runToEnd(line, { env: environment({ LC_ALL: "C.UTF-8" }), cwd: dir.path });
      const found = (await ends(ran, { stderr: "" })).stdout.trim().split("\n");
      for (const word of offered) assert.ok(found.includes(word), `${word} in ${found}`);
      for (const word of not) assert.ok(!found.includes(word), `${word} in ${found}`);
    }
  });
}
