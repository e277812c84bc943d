/** Lines of an output that arguments with `lines` take. */

import assert from "node:assert/strict";
import type { LineTaking } from "../../../src/exec/invocation.ts";
import { takeLines } from "../../../src/sources/command/output.ts";
import { discoverySurface } from "../../../src/server/discovery.ts";
import { textOf } from "../../../src/tool/result.ts";
import { sessionOf } from "../../_session.ts";
import { unix } from "../../_requirements.ts";

const take = (step: LineTaking[0], most: number): LineTaking => [step, most, false];

Deno.test("takeLines() counts, sorts and cuts lines, and says how many there were", () => {
  const table = 'id,name\n1,"a"\n2,b\n3,c\n';
  const rows: readonly (readonly [LineTaking[], string, string, extent?: string])[] = [
    [[take("first", 2)], "a\nb\nc\n", "a\nb\n", "2 of 3 lines, 3"],
    [[take("first", 2)], "a\nb\nc", "a\nb\n", "2 of 3 lines, 3"],
    [[take("first", 3)], "a\nb\nc\n", "all"],
    [[take("rows", 1)], table, 'id,name\n1,"a"\n', "1 of 3 rows, 3"],
    [[take("rows", 3)], table, "all"],
    // A cell has two lines, JSON no heading
    [[take("rows", 1)], 'id,name\n1,"a\nb"\n', 'id,name\n1,"a\n', "1 of 2 lines, 3"],
    [[take("rows", 1)], '[{"a":1},\n{"a":2}]\n', '[{"a":1},\n', "1 of 2 lines, 2"],
    [[take("top", 2)], "4.0K\ta9\n1.5M\tb\n12\tc\n", "1.5M\tb\n4.0K\ta9\n", "2 of 3 lines, 1"],
    [[take("top", 2)], "2 x.md:3\na:12\nnone\n", "a:12\n2 x.md:3\n", "2 of 3 lines, 1"],
    [[take("count", 1)], "b\na\nb\n", "2 b\n1 a\n"],
    [[take("count", 1), take("first", 1)], "b\na\nb\n", "2 b\n", "1 of 2 lines, 1"],
    [[take("first", 1)], "", "all"],
  ];
  for (const [takings, text, wanted, extent] of rows) {
    const taken = takeLines({ text, bytes: text.length }, takings);
    assert.equal(taken?.stdout.text ?? "all", wanted);
    const { words, next } = taken?.whole.extent ?? {};
    assert.equal(words && `${words}, ${next}`, extent);
  }
  const cut = { text: "a\nb\n", bytes: 9000, isCut: true };
  assert.equal(takeLines(cut, [take("first", 1)], 900)!.whole.extent!.words, "1 of 900 lines");
  assert.match(takeLines(cut, [take("top", 1)])!.whole.extent!.words, /of more than 2 lines/);
});

unix.test("an argument with lines takes them, says how the rest is read, and leaves failures whole", async () => {
  const most = { name: "most", type: "integer", lines: "first", default: 2 };
  const tools = [
    { name: "some", args: [most], command: "printf", argv: ["a\\nb\\nc\\nd\\n"] },
    { name: "none", args: [most], command: "sh", argv: ["-c", "seq 3; exit 1"] },
    {
      name: "equal",
      args: [{ name: "counted", value: true, type: "boolean", lines: "count" }],
      command: "printf",
      argv: ["b\\na\\nb\\n"],
    },
  ];
  await using session = await sessionOf({ tools });
  const call = async (name: string, args: object) => {
    const surface = discoverySurface(session);
    return textOf(await surface.call("climax_call", { tool_name: name, args }, {}));
  };
  assert.equal(await call("some", {}), "a\nb\n\n[2 of 4 lines]");
  assert.equal(await call("some", { most: 3 }), "a\nb\nc\n\n[3 of 4 lines]");
  assert.equal(await call("some", { most: 4 }), "a\nb\nc\nd");
  assert.equal(await call("none", {}), "1\n2\n3\n\n[exit code: 1]");
  assert.equal(await call("equal", {}), "2 b\n1 a");
});
