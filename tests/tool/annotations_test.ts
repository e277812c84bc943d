import assert from "node:assert/strict";
import {
  annotationsOf,
  annotationsOfAny,
  changesFiles,
  effectOf,
} from "../../src/tool/annotations.ts";
import type { Annotations, Tool } from "../../src/tool/tool.ts";
import { toolOf } from "../_tools.ts";

const read = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
const write = { readOnlyHint: false, destructiveHint: false };
const destructive = { readOnlyHint: false, destructiveHint: true };

const rows: readonly [what: string, tool: Partial<Tool>, annotations: Annotations][] = [
  ["an unknown effect", {}, {}],
  ["a tool that reads", { effect: "read" }, read],
  ["a tool that writes", { effect: "write" }, write],
  ["a tool that destroys", { effect: "destructive" }, destructive],
  [
    "a tool with annotations of its own",
    { effect: "write", annotations: { idempotentHint: true, openWorldHint: false } },
    { ...write, idempotentHint: true, openWorldHint: false },
  ],
];

for (const [what, tool, annotations] of rows) {
  Deno.test(`annotationsOf() says what is known of ${what}`, () => {
    assert.deepEqual(annotationsOf(toolOf("t", tool)), annotations);
  });
}

Deno.test("effectOf() takes an unknown effect for writing", () => {
  assert.equal(effectOf({}), "write");
  assert.equal(effectOf({ effect: "read" }), "read");
});

const reading = toolOf("r", { effect: "read", annotations: { openWorldHint: false } });
const writing = toolOf("w", { effect: "write", annotations: { openWorldHint: false } });
const any: readonly [tools: readonly Tool[], expected: readonly (boolean | undefined)[]][] = [
  [[reading], [true, false, true, false]],
  [[reading, writing], [false, false, false, false]],
  [[reading, toolOf("u")], [false, true, false, true]],
  [[writing, toolOf("d", { effect: "destructive" })], [false, true, false, true]],
];

for (const [tools, expected] of any) {
  Deno.test(`annotationsOfAny() expects the worst of ${tools.map(({ name }) => name)}`, () => {
    const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotationsOfAny(
      tools,
    );
    assert.deepEqual([readOnlyHint, destructiveHint, idempotentHint, openWorldHint], expected);
  });
}

Deno.test("changesFiles() is true of what is known to write, but for the code of a project", () => {
  const rows = [
    [{}, false],
    [{ effect: "read" }, false],
    [{ effect: "write" }, true],
    [{ effect: "write", requires: "sandbox" }, false],
    [{ annotations: { readOnlyHint: true } }, false],
    [{ annotations: { readOnlyHint: false } }, true],
    [{ effect: "read", annotations: { readOnlyHint: false } }, false],
  ] as const;
  for (const [tool, expected] of rows) assert.equal(changesFiles(toolOf("t", tool)), expected);
});
