/** Arguments of build tasks: options of their own, and permissions of the program. */

import assert from "node:assert/strict";
import { buildArguments } from "../../build/_arguments.ts";

Deno.test("buildArguments() takes options apart from permissions and words", () => {
  const args = ["--output", "x", "--allow-read", "target", "--deny-net", "--whole"];
  const { options, flags } = buildArguments(args, ["output", "script"], ["--whole"]);
  assert.deepEqual([...options], [["output", "x"]]);
  assert.deepEqual(flags, ["--allow-read", "target", "--deny-net", "--whole"]);
});

Deno.test("buildArguments() refuses an option that is neither, and says what there is", () => {
  assert.throws(
    () => buildArguments(["--repo", "https://h/o/n"], ["repository"], ["--whole"]),
    /^Error: There is no option '--repo': expected --repository, --whole, or permissions$/,
  );
});
