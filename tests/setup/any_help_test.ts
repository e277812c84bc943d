/** Whatever a program prints for its help, what is written loads, and nothing of it gets out. */

import assert from "node:assert/strict";
import fc from "../_properties.ts";
import { load } from "js-yaml";
import type { HelpSource } from "../../src/setup/help_source.ts";
import { generate } from "../../src/setup/generate.ts";
import { ClimaxError, ExitCode } from "../../src/errors.ts";

/** Pieces that helps are made of, and some that they should not be. */
const piece = fc.oneof(
  fc.constantFrom(
    "Usage: x [OPTIONS] <FILE>... [COMMAND]\n",
    "usage: x [-h] {a,b} ...\n",
    "USAGE\n  $ x NAME [--y <value>]\n",
    "Options:\n",
    "Commands:\n",
    "Arguments:\n",
    "FLAGS\n",
    "  -a, --all    all of it\n",
    "  --kind <a|b|c>  one of: 'a', 'b' or 'c' [default: a]\n",
    "  --[no-]x[=<y>]\n      text\n",
    "  -n NUM  (default: 3)\n",
    "  -memprofile string\n    \tfile\n",
    "  list   List them\n",
    "  __proto__   a name\n",
    "  --__proto__ <constructor>  a name\n",
    "  --x={a,b: c}  # not a comment\n",
    '  --evil  "quotes\\" and\ttabs\n',
    "      - name: evil\n        flag: --evil\n",
    "---\n",
    "  --u <V>...  \u2028 \u202e \u0007 \ud800 text\n",
    "\n",
  ),
  fc.string({ maxLength: 40 }).map((text) => `  --${text}  ${text}\n`),
  fc.string({ maxLength: 60, unit: "binary" }).map((text) => `${text}\n`),
);

const help = fc.array(piece, { minLength: 1, maxLength: 30 }).map((pieces) => pieces.join(""));

Deno.test("generate() writes what loads, whatever the help says", async () => {
  await fc.assert(
    fc.asyncProperty(help, help, async (root, below) => {
      const source: HelpSource = {
        ask: (words) => Promise.resolve(words.length === 1 ? root : below),
      };
      try {
        const { text } = await generate(["x"], { source, maxCommands: 20 });
        const config = load(text) as Record<string, unknown>;
        const keys = ["name", "description", "command", "tags", "unknown_args", "tools"];
        assert.deepEqual(Object.keys(config).filter((key) => !keys.includes(key)), []);
        assert.equal(config["command"], "x");
        // deno-lint-ignore no-control-regex
        assert.equal(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]/.test(text), false);
      } catch (error) {
        // No tool in it is an answer; a config that does not load is not
        if (!(error instanceof ClimaxError)) throw error;
        assert.equal(error.exitCode, ExitCode.failure, JSON.stringify(error.problems));
      }
    }),
    { numRuns: 400 },
  );
});
