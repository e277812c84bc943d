/** Any command line is read, explained or refused. */

import assert from "node:assert/strict";
import fc from "../_properties.ts";
import { divide } from "../../src/cli/commands.ts";
import { readWords } from "../../src/cli/program.ts";
import { UsageError } from "../../src/errors.ts";

/** Words that mean something, and some that do not. */
const words = [
  ...["git", "docker", "run", "help", "list", "search", "token", "--classic", "-h", "--help", "-V"],
  ...["./a.yaml", "a.yml", "dir/", "nosuch", "", "-", "--", "--classic=1", "--no-classic", "-c"],
  ...["--policy", "--policy=p.yaml", "--log-level", "--strict", "--config", "-x.yaml", "run.yaml"],
];

const line = fc.array(fc.constantFrom(...words), { maxLength: 6 });

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
