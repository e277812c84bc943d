/** Log lines: which are written, and where. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { scratch } from "../../e2e/_scratch.ts";
import { fixture } from "../../e2e/_server.ts";
import { climax } from "./_climax.ts";

const call = ["call", "probe_args", "--config", fixture("probe.yaml")];
const line = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (debug|info|warning|error): .+$/;

function levels(text: string): Set<string> {
  const lines = text.trimEnd().split("\n").filter((each) => each !== "");
  return new Set(lines.map((each) => {
    assert.match(each, line);
    return line.exec(each)![1]!;
  }));
}

for (
  const [flags, expected] of [
    [["-vv"], ["debug", "info"]],
    [["-v"], ["info"]],
    [[], []],
    [["-q"], []],
  ] as [string[], string[]][]
) {
  Deno.test(`climax call ${flags} writes lines of a level and above to stderr`, async () => {
    const { code, stdout, stderr } = await climax([...call, ...flags]);
    assert.equal(code, 0);
    assert.equal(stdout, `["-l","3"]\n`);
    assert.deepEqual([...levels(stderr)].toSorted(), expected);
  });
}

Deno.test("CLIMAX_LOG_FILE gets every line that stderr gets, after those it has", async () => {
  await using dir = await scratch({ "climax.log": "before\n" });
  const file = join(dir.path, "climax.log");
  const env = { CLIMAX_LOG_FILE: file };
  const { stderr } = await climax([...call, "-vv"], { env });
  assert.notEqual(stderr, "");
  assert.equal(await Deno.readTextFile(file), `before\n${stderr}`);
});
