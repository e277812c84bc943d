/** `climax generate`: from a program to a tool that runs. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { farm, writeFarm } from "../../setup/_farm.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { unix } from "../../_requirements.ts";
import { climax, climaxOnTerminal, ends } from "./_climax.ts";

unix.test("climax generate writes a config that validates and whose tools run", async () => {
  await using dir = await scratch();
  const path = writeFarm(dir.path);
  const file = join(dir.path, "farm.yaml");
  const written = await ends(climax(["generate", path, "-o", file]), { code: 0, stdout: "" });
  assert.deepEqual(written.stderr.trimEnd().split("\n"), [
    `Reading help (--help, in an empty folder): ${path}`,
    `Reading help (--help, in an empty folder): ${path} list, ${path} sell`,
    "2 tools, 6 arguments; 11 lines of options; guesses: 4",
    "Options left out; --include=--NAME puts one back (2): --watch (farm_list), --hook (farm_sell)",
    "Without a description (1): 1 of 6 arguments",
    `Look at every "# guess" in it, above all the effects; then: climax validate ${file}, climax list ${file}`,
  ]);
  await ends(climax(["validate", file]), { code: 0, stdout: `${file}: ok, 2 tools\n` });
  const args = ["kind=hen", "limit=2"];
  const called = await climax(["call", "farm_list", ...args, "--config", file]);
  assert.deepEqual([called.code, called.stdout], [0, "cow hen list --kind=hen --limit=2\n"]);
});

unix.test("climax generate prints the config where no file is named", async () => {
  await using dir = await scratch();
  const path = writeFarm(dir.path);
  const { stdout } = await ends(climax(["generate", path, "list"]), {
    code: 0,
    stdout: [/^# Written by climax /, /name: farm_list\n/],
  });
  assert.equal(stdout.includes("farm_sell"), false);
});

unix.test("climax generate overwrites nothing", async () => {
  await using dir = await scratch();
  const path = writeFarm(dir.path);
  const file = join(dir.path, "farm.yaml");
  await climax(["generate", path, "-o", file]);
  const before = await Deno.readTextFile(file);
  const again = await climax(["generate", path, "-o", file]);
  assert.equal(again.code, 3);
  assert.match(again.stderr, /farm\.yaml: There is a file already\n {2}hint: /);
  assert.equal(await Deno.readTextFile(file), before);
  assert.equal((await climax(["validate", file])).code, 0);
  assert.deepEqual([...Deno.readDirSync(dir.path)].map(({ name }) => name).toSorted(), [
    "farm",
    "farm.log",
    "farm.yaml",
  ]);
});

unix.test("climax generate writes among the person's configs at a terminal, and names a bundled one", async () => {
  await using dir = await scratch();
  writeFarm(dir.path);
  const path = `${dir.path}:${Deno.env.get("PATH")}`;
  const env = { HOME: dir.path, XDG_CONFIG_HOME: "", PATH: path };
  const at = join(dir.path, ".config", "climax", "configs", "farm.yaml");
  const said = await climaxOnTerminal(["generate", "farm"], { env, columns: 400 });
  assert.ok(said.includes(`Wrote ${at}\n`), said);
  assert.match(said, /; then: climax validate farm, climax list farm\n$/);
  await ends(climax(["validate", "farm"], { env }), { code: 0, stdout: "farm: ok, 2 tools\n" });
  assert.match(await climaxOnTerminal(["generate", "farm"], { env }), /There is a file already/);
  // A draft would hide what is bundled
  await ends(climax(["generate", "sh", "-o", at], { env }), { code: 3 });
  await ends(climax(["generate", "git", "--depth", "0"], { env }), {
    stderr: /^'git' is bundled with climax: climax list git\n/,
  });
});

const refused: readonly (readonly [args: readonly string[], code: number, message: RegExp])[] = [
  [["climax-no-such-program"], 2, /Program 'climax-no-such-program' is not on PATH/],
  [["sh", "--depth", "x"], 2, /--depth takes a whole number from 0 to 999999999, not 'x'/],
];

for (const [args, code, message] of refused) {
  unix.test(`climax generate ${args.join(" ")} is refused`, async () => {
    await ends(climax(["generate", ...args]), { code, stdout: "", stderr: message });
  });
}

unix.test("climax generate refuses a program that no config can name", async () => {
  await using dir = await scratch();
  const path = writeFarm(dir.path, farm);
  const odd = join(dir.path, "my farm");
  await Deno.rename(path, odd);
  await ends(climax(["generate", odd]), { code: 2, stderr: /A config cannot name '.*my farm'/ });
});
