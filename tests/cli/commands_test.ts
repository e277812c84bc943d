/** The table of commands, and that what each says about itself is so. */

import assert from "node:assert/strict";
import { commandGroups, commands, commandTable, divide } from "../../src/cli/commands.ts";
import { buildCommand, helpOf, readWords } from "../../src/cli/program.ts";
import { bundledConfigs } from "../../src/sources/command/bundled.ts";
import { isConfigPath } from "../../src/sources/command/locate.ts";
import { wordsOf } from "../_command_line.ts";

Deno.test("no command is named twice, as a config or as a path", () => {
  assert.equal(commandGroups.values().toArray().flat().length, commands.size);
  for (const name of commands.keys()) {
    assert.equal(bundledConfigs.has(name) || isConfigPath(name), false, name);
  }
  for (const flag of commandTable.flags.keys()) {
    assert.notEqual(divide([flag]).command.name, "run", flag);
  }
});

for (const entry of commands.values()) {
  Deno.test(`the examples of climax ${entry.name} are command lines of its own`, async () => {
    const { examples } = await entry.load();
    assert.ok(examples.length > 0);
    for (const [line, does] of examples) {
      const { command, words } = divide(wordsOf(line));
      assert.equal(command, entry, line);
      assert.equal("words" in await readWords(entry, words), true, line);
      assert.doesNotMatch(does, /^[A-Z]|\.$/);
    }
  });

  Deno.test(`climax ${entry.name} --help and -h ask for its help`, async () => {
    for (const word of ["--help", "-h"]) {
      const read = await readWords(entry, [word]);
      assert.ok("help" in read);
      assert.ok(read.help.startsWith(`Usage: climax ${entry.name} [options]`), read.help);
    }
  });

  Deno.test(`the help of climax ${entry.name} fits a terminal and is whole`, async () => {
    const command = await buildCommand(entry);
    const help = helpOf(command);
    assert.deepEqual(help.split("\n").filter((text) => text.length > 80), []);
    assert.match(command.description(), /^[A-Z].*[^.]$/);
    for (const each of [...command.options, ...command.registeredArguments]) {
      assert.match(each.description, /^[^A-Z].*[^.]$/, each.description);
    }
    assert.doesNotMatch(entry.summary, /^[A-Z]|\.$/);
  });
}
