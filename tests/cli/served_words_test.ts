import assert from "node:assert/strict";
import { commandTable } from "../../src/cli/commands.ts";
import { joinCommand, wordsOfServing } from "../../src/cli/connect_command.ts";
import { ClimaxError } from "../../src/errors.ts";
import { servingCommand } from "../../src/process/own_command.ts";

const words = ["git", "--mcp", "/x/climax.json", "--classic"];

for (
  const program of [
    servingCommand(),
    ["npx", "-y", "climax-mcp"],
    ["npx", "-y", "climax-mcp@1.2.0", "run"],
    ["cmd", "/c", "npx", "-y", "deno@2.9.6", "run", "-qP", "C:\\other\\main.ts"],
    ["/other/clone/climax"],
    ["C:\\other\\climax.cmd"],
    ["/opt/climax-1.2.0.mjs"],
    ["/opt/deno", "run", "--no-config", "--allow-read", "/opt/climax.mjs"],
    ["climax"],
  ]
) {
  Deno.test(`servedWords() reads what ${program.join(" ")} is started with`, async () => {
    const read = await wordsOfServing([...program, ...words], commandTable);
    const options = [["--mcp", "/x/climax.json"], ["--classic"]];
    assert.deepEqual(read, { configs: ["git"], options });
  });
}

for (
  const command of [
    ["some-server", "git"],
    ["climax", "git", "--no-such-option"],
    ["climax", "git", "--mcp"],
  ]
) {
  Deno.test(`servedWords() refuses ${command.join(" ")}, with a way out`, async () => {
    await assert.rejects(wordsOfServing(command, commandTable), (error) => {
      assert.ok(error instanceof ClimaxError);
      assert.match(error.problems[0]!.hint!, /^--replace /);
      return true;
    });
  });
}

Deno.test("joinedCommand() adds configs and servers once, and lets later options win", async () => {
  const read = (...given: string[]) => wordsOfServing(["climax", ...given], commandTable);
  const before = await read(
    "git",
    "--mcp=/a",
    "--results",
    "contract",
    "--config",
    "jq",
    "--classic",
  );
  const added = await read("jq", "npm", "--mcp", "/a", "--mcp", "/b", "--results", "compact");
  const own = servingCommand();
  assert.deepEqual(joinCommand(before, added), [
    ...own,
    ...["git", "jq", "npm", "--classic", "--mcp", "/a", "--mcp", "/b", "--results", "compact"],
  ]);
});
