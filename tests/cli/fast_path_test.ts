/** The quick path and commander read the same command line the same way. */

import assert from "node:assert/strict";
import fc from "../_properties.ts";
import { commands, defaultCommand, divide } from "../../src/cli/commands.ts";
import { readWords } from "../../src/cli/program.ts";
import { quickRun } from "../../src/cli/main.ts";
import { UsageError } from "../../src/errors.ts";

/** Words that mean something to one of the two, and some that do not. */
const words = [
  ...["git", "docker", "run", "help", "list", "search", "token", "--classic", "-h", "--help", "-V"],
  ...["./a.yaml", "a.yml", "dir/", "nosuch", "", "-", "--", "--classic=1", "--no-classic", "-c"],
  ...["--policy", "--policy=p.yaml", "--log-level", "--strict", "--config", "-x.yaml", "run.yaml"],
];

/** The options of a line on which there are none. */
const nothingElse = await optionsOf(["git"]);

async function optionsOf(args: readonly string[]): Promise<Record<string, unknown>> {
  const read = await readWords(defaultCommand, args);
  assert.ok("words" in read);
  return read.words[1] as Record<string, unknown>;
}

const line = fc.array(fc.constantFrom(...words), { maxLength: 6 });

Deno.test("quickRun() answers as commander does, or not at all", async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(line, async (args) => {
      const quick = quickRun(args);
      if (quick === undefined) return;
      answered++;
      const { command, words } = divide(args);
      assert.equal(command, defaultCommand);
      const read = await readWords(command, words);
      assert.ok("words" in read);
      const [configs, options] = read.words as [string[], Record<string, unknown>];
      assert.deepEqual(configs, quick.configs);
      const { classic = false, ...others } = options;
      assert.equal(classic, quick.classic);
      assert.deepEqual(others, nothingElse);
      // What `climax run` would say is a command out of place
      assert.equal(configs.some((config) => commands.has(config)), false);
    }),
    { numRuns: 5000 },
  );
  assert.ok(answered > 50, `answered ${answered} times`);
});

for (
  const [args, configs, classic] of [
    [["git"], ["git"], false],
    [["run", "git", "./a.yaml"], ["git", "./a.yaml"], false],
    [["git", "--classic"], ["git"], true],
    [["run", "--classic", "git"], ["git"], true],
  ] as [string[], string[], boolean][]
) {
  Deno.test(`quickRun() answers climax ${args.join(" ")}`, () => {
    assert.deepEqual(quickRun(args), { configs, classic });
  });
}

for (
  const args of [
    [],
    ["--classic"],
    ["run"],
    ["--classic", "run", "git"],
    ["list", "git"],
    ["git", "--strict"],
    ["git", "--kill-orphans"],
    ["gitt"],
    ["git", "--", "--classic"],
  ]
) {
  Deno.test(`quickRun() leaves climax ${args.join(" ")} to commander`, () => {
    assert.equal(quickRun(args), undefined);
  });
}

Deno.test("whatever the line, it is read, explained or refused", async () => {
  await fc.assert(
    fc.asyncProperty(line, async (args) => {
      const { command, words } = divide(args);
      try {
        await readWords(command, words);
      } catch (error) {
        assert.ok(error instanceof UsageError, String(error));
      }
    }),
    { numRuns: 2000 },
  );
});
