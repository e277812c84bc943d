/** `climax script run`: a script of a person, from its file. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { type Scratch, scratch } from "../../e2e/_scratch.ts";
import { unix } from "../../_requirements.ts";
import { climax, ends } from "./_climax.ts";
import { config } from "./_script_config.ts";

/** A folder with a config and the script `code`. */
async function folderWith(code: string): Promise<Scratch> {
  const dir = await scratch();
  await Deno.writeTextFile(join(dir.path, "own.yaml"), JSON.stringify(config));
  await Deno.writeTextFile(join(dir.path, "a.js"), code);
  return dir;
}

/** The words that run `a.js` with `options`. */
function wordsOf(...options: string[]): string[] {
  return ["script", "run", "./own.yaml", ...options, "--", "a.js"];
}

unix.test("climax script run gives a script its input", async () => {
  await using dir = await folderWith(`return (await call("say", {word: input.word})).text.trim()`);
  await ends(climax(wordsOf("--args", '{"word":"c"}'), { cwd: dir.path }), { stdout: "c\n" });
});

unix.test("climax script run --dry-run lists the calls that write", async () => {
  await using dir = await folderWith(`await call("keep", {file: "kept"})`);
  await ends(climax(wordsOf("--dry-run"), { cwd: dir.path }), {
    stdout:
      /cannot ask a person\]\n\[1 call not made\]\n1\. own says of its tool: keep: kept\nkeep \(write\) in .*\nExactly this runs:\n\["touch"/,
  });
  await assert.rejects(Deno.stat(join(dir.path, "kept")));
  const ran = await climax(wordsOf("--policy", "open"), { cwd: dir.path });
  assert.equal(ran.code, 0);
  await Deno.stat(join(dir.path, "kept"));
});

const wrong = [
  [["script", "run", "a.js", "b.js"], 2, /One script is run at a time, found b\.js/],
  [["script", "run", "none.js"], 3, /No script 'none' is in/],
  [["script", "run", "a.js", "--args", "{"], 2, /--args is not JSON: at character 2/],
  [
    ["script", "check", "a.js"],
    2,
    /Unknown command 'script check'\n {2}hint: Did you mean: script run/,
  ],
] as const;

for (const [words, exitCode, expected] of wrong) {
  unix.test(`climax ${words.join(" ")} fails with a remedy`, async () => {
    await using dir = await folderWith("return 1");
    await ends(climax(words, { cwd: dir.path }), { code: exitCode, stderr: expected });
  });
}
