/** Tables on terminals of several widths; that pipes get whole lines is in `commands/list_test.ts`. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { scratch } from "../e2e/_scratch.ts";
import { climax, climaxOnTerminal } from "./commands/_climax.ts";

const env = { NO_COLOR: "1" };

const config = (name: string) =>
  `name: ${name}
command: echo
description: "First words of a description that is much longer than the terminal is wide, to its last"
tools:
  - { name: ${name}_read, effect: read, description: "Read all of it, without a change to anything that is there already" }
  - { name: ${name}_gone, effect: destructive, description: "Short" }
`;

Deno.test("a description is wrapped in its column, and no word is lost or broken", async () => {
  const piped = await climax(["list", "git"]);
  for (const columns of [40, 60, 80, 120]) {
    const seen = await climaxOnTerminal(["list", "git"], { env, columns });
    for (const line of seen.split("\n")) {
      assert.ok(line.length <= columns || !line.trim().includes(" "), `${columns}: ${line}`);
    }
    const words = (text: string) => text.split(/\s+/).toSorted();
    const missing = words(piped.stdout).filter((word) => !words(seen).includes(word));
    assert.deepEqual(missing.filter((word) => word !== "DESCRIPTION"), [], String(columns));
  }
});

Deno.test("the tools of several programs have a column for the program, of one none", async () => {
  assert.match((await climax(["list", "jq"])).stdout, /^TOOL +EFFECT +DESCRIPTION\n/);
  assert.match((await climax(["list", "jq", "git"])).stdout, /^TOOL +CLI +EFFECT +DESCRIPTION\n/);
});

Deno.test("effects have colours and words", async () => {
  await using dir = await scratch({ "mine.yaml": config("mine") });
  const seen = await climaxOnTerminal(["list", "./mine.yaml"], { cwd: dir.path });
  assert.ok(seen.includes("\x1b[32mread\x1b[39m"), seen);
  assert.ok(seen.includes("\x1b[31mdestructive\x1b[39m"), seen);
});

Deno.test("climax list says which programs are here and which configs are the person's own", async () => {
  await using dir = await scratch({
    "config/climax/configs/mine.yaml": config("mine"),
    "config/climax/configs/absent.yaml": config("absent").replace("echo", "no-such-program-here"),
  });
  const configs = join(dir.path, "config", "climax", "configs");
  const settings = join(dir.path, "config");
  const own = { HOME: dir.path, XDG_CONFIG_HOME: settings, APPDATA: settings };
  const piped = await climax(["list"], { cwd: dir.path, env: own });
  assert.match(piped.stdout, /^CONFIG +TOOLS +HERE +CATEGORY +FROM +DESCRIPTION\n/);
  assert.match(piped.stdout, /^mine +2 +yes +yours +First words/m);
  assert.match(piped.stdout, /^absent +2 +no +yours +First words/m);
  const seen = await climaxOnTerminal(["list"], { cwd: dir.path, env: own, columns: 80 });
  assert.match(seen, /^mine +2 +✓ +yours/m);
  const absentRow = seen.split("\n").find((line) => line.includes("absent"))!;
  assert.ok(absentRow.startsWith("\x1b[2mabsent\x1b[22m") && absentRow.includes("–"), absentRow);
  const { stdout } = await climax(["list", "--json"], { cwd: dir.path, env: own });
  const listed = JSON.parse(stdout) as { name: string; from: string; missing_programs: string[] }[];
  const absent = listed.find(({ name }) => name === "absent")!;
  assert.deepEqual(absent.missing_programs, ["no-such-program-here"]);
  assert.equal(absent.from, join(configs, "absent.yaml"));
});

Deno.test("numbers of tables have separators and stand on the right", async () => {
  const { stdout } = await climax(["stats", "git"]);
  assert.match(stdout, /^tools\/list, classic \(71 tools\) +\d+,\d{3}$/m);
  assert.ok(new Set(stdout.split("\n").slice(0, 9).map((line) => line.length)).size === 1, stdout);
});

Deno.test("JSON is indented on a terminal and one line in a pipe where a command says so", async () => {
  const piped = await climax(["search", "git", "--json", "--", "undo"]);
  assert.equal(piped.stdout.trimEnd().split("\n").length, 1);
  const seen = await climaxOnTerminal(["search", "git", "--json", "--", "undo"], { env });
  assert.match(seen, /^\{\n {2}"/);
});
