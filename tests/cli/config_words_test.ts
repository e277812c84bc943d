/** Every command takes configs alike: by name or path, by `--config`, and from `CLIMAX_CONFIG`. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { commands } from "../../src/cli/commands.ts";
import { buildCommand } from "../../src/cli/program.ts";
import { scratch } from "../e2e/_scratch.ts";
import { climax, ends } from "./commands/_climax.ts";

const config = `name: mine
description: Words
command: echo
tools: [{ name: mine_say, description: Say hello, effect: read }]
`;

/** How each command that takes configs is called: words in front of them, and behind. */
const takers: Readonly<Record<string, readonly [before: string[], behind: string[]]>> = {
  "run": [["run"], []],
  "connect": [["connect", "cursor"], ["--print"]],
  "list": [["list"], ["--policy", "policy.yaml"]],
  "search": [["search"], ["--", "hello"]],
  "call": [["call"], ["--dry-run", "--", "mine_say"]],
  "ui": [["ui"], []],
  "enrich": [["enrich"], ["--dry-run"]],
  "doctor": [["doctor", "--all"], []],
  "validate": [["validate"], []],
  "policy explain": [["policy", "explain"], ["--policy", "policy.yaml", "--", "mine_say"]],
  "policy init": [["policy", "init"], []],
  "stats": [["stats"], []],
  "eval": [["eval"], ["--json", "--", "queries.jsonl"]],
};

Deno.test("every command with --config is in the table, and every other takes none", async () => {
  for (const entry of commands.values()) {
    const command = await buildCommand(entry);
    const takes = command.options.some(({ long }) => long === "--config");
    assert.equal(Object.hasOwn(takers, entry.name), takes, entry.name);
    const argument = command.registeredArguments.find(({ variadic }) => variadic);
    if (takes) assert.ok(argument !== undefined, entry.name);
  }
});

/** Those that end by themselves. */
const ending = Object.entries(takers).filter(([name]) => !["run", "ui"].includes(name));

for (const [name, [before, behind]] of ending) {
  Deno.test(`climax ${name} takes configs as words, by --config and from CLIMAX_CONFIG`, async () => {
    await using dir = await scratch({ "mine.yaml": config, "policy.yaml": "default: enabled\n" });
    await Deno.mkdir(join(dir.path, "home"));
    await Deno.writeTextFile(join(dir.path, "a.js"), `return await search("hello")`);
    const query = { query: "hello", want: [["mine_say"]] };
    await Deno.writeTextFile(join(dir.path, "queries.jsonl"), JSON.stringify(query));
    const home = join(dir.path, "home");
    const own = { HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: home };
    const run = async (words: string[], env = {}) => {
      const ran = await climax(words, { cwd: dir.path, env: { ...own, ...env } });
      // A prompt has a mark of its own
      const same = (text: string) => {
        return text.replaceAll(/tools-[\da-f]+|about \d+ tokens/g, "");
      };
      return { ...ran, stdout: same(ran.stdout), stderr: same(ran.stderr) };
    };
    const [word, option, variable] = await Promise.all([
      run([...before, "mine.yaml", ...behind]),
      run([...before, "--config", "mine.yaml", ...behind]),
      run([...before, ...behind], { CLIMAX_CONFIG: "mine.yaml" }),
    ]);
    assert.equal(word.code, 0, word.stdout + word.stderr);
    assert.match(word.stdout, /mine|echo|TOKENS|MRR/);
    assert.deepEqual(option, word);
    assert.deepEqual(variable, word);
  });
}

for (
  const name of ["run", "validate", "policy init", "enrich"]
) {
  Deno.test(`climax ${name} without a config says how to name one`, async () => {
    await using home = await scratch();
    const env = { HOME: home.path, XDG_CONFIG_HOME: "" };
    await ends(climax(name.split(" "), { env }), {
      code: 2,
      stderr: "error: Missing required argument 'config'\n" +
        "  hint: Name a config, such as @code, or servers with --mcp, or set CLIMAX_CONFIG\n",
    });
  });
}
