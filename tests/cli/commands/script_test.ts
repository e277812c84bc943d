/** `climax script run` and `climax script test`: a script of a person, its recording, and its test. */

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

const code = `const {text} = await call("say", {word: input?.word ?? "b"});
const { random } = Math;
return [text.trim(), random(), Date.now()]`;

/** The words that run `a.js` with `options`. */
function wordsOf(...options: string[]): string[] {
  return ["script", "run", "./own.yaml", ...options, "--", "a.js"];
}

unix.test("climax script run records, and climax script test needs no program", async () => {
  await using dir = await folderWith(code);
  const cwd = dir.path;
  const ran = await climax(
    wordsOf("--input", '{"word":"c"}', "--record", "a.recording.json"),
    { cwd },
  );
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stdout, /^\["c",0\.\d+,\d+\]\n$/);
  assert.match(ran.stderr, /recorded in a\.recording\.json/);
  assert.equal((await Deno.stat(join(cwd, "a.recording.json"))).mode! & 0o777, 0o600);
  await Deno.remove(join(cwd, "own.yaml"));
  const tested = await climax(["script", "test", "a.js"], { cwd });
  assert.deepEqual([tested.code, tested.stdout], [0, "a.js: as recorded\n"]);
});

unix.test("climax script test says what differs, and which answer is missing", async () => {
  await using dir = await folderWith(code.replace("return", "return 'x' + "));
  const cwd = dir.path;
  assert.equal((await climax(wordsOf("--record", "r.json"), { cwd })).code, 0);
  await Deno.writeTextFile(join(cwd, "a.js"), "return 'y'");
  const other = await climax(["script", "test", "a.js", "--replay", "r.json"], { cwd });
  assert.equal(other.code, 1);
  assert.match(other.stdout, /^a\.js: not as recorded\n- xb,0\.\d+,\d+\n\+ y\n$/);
  await Deno.writeTextFile(join(cwd, "a.js"), `await call("say", {word: "z"})`);
  const missing = await climax(["script", "test", "a.js", "--replay", "r.json"], { cwd });
  assert.match(missing.stdout, /The recording has no answer to this call: \{"name":"say"/);
});

unix.test("climax script run --dry-run lists the calls that write", async () => {
  await using dir = await folderWith(`await call("keep", {file: "kept"})`);
  await ends(climax(wordsOf("--dry-run"), { cwd: dir.path }), {
    stdout: /cannot ask a person, so 1 call not made\]\n1\. keep \(write\):\n\["touch"/,
  });
  await assert.rejects(Deno.stat(join(dir.path, "kept")));
  const ran = await climax(wordsOf("--policy", "open"), { cwd: dir.path });
  assert.equal(ran.code, 0);
  await Deno.stat(join(dir.path, "kept"));
});

const wrong = [
  [["script", "run", "a.js", "b.js"], 2, /One script is run at a time, found b\.js/],
  [["script", "run", "none.js"], 3, /none\.js: File not found/],
  [
    ["script", "test", "a.js"],
    3,
    /a\.recording\.json: File not found\n {2}hint: climax script run/,
  ],
  [["script", "run", "a.js", "--input", "{"], 2, /--input is not JSON: at character 2/],
  [
    ["script", "run", "a.js", "--dry-run", "--record", "r"],
    2,
    /--record does not go with --dry-run/,
  ],
  [["script", "test", "a.js", "b.js", "--replay", "r"], 2, /--replay is for one script/],
  [["script", "test", "a.js", "--replay", "own.yaml"], 3, /The recording is wrong|own\.yaml/],
] as const;

for (const [words, exitCode, expected] of wrong) {
  unix.test(`climax ${words.join(" ")} fails with a remedy`, async () => {
    await using dir = await folderWith("return 1");
    await ends(climax(words, { cwd: dir.path }), { code: exitCode, stderr: expected });
  });
}
