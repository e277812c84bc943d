import assert from "node:assert/strict";
import { type AnswerOptions, resultOfServer } from "../../../src/sources/upstream/result.ts";
import { textOf } from "../../../src/tool/result.ts";

const options: AnswerOptions = {
  keepBytes: 20,
  mayKeep: true,
  keepAnsi: false,
  served: (address) => address,
};

Deno.test("resultOfServer() keeps both ends of a long text, and the whole where it may", () => {
  const long = "line\n".repeat(100);
  const content = ["short", long].map((text) => ({ type: "text", text }) as const);
  const result = resultOfServer({ content }, options);
  assert.deepEqual(result.content[0], content[0]);
  assert.ok(textOf({ content: [result.content[1]!] }).length < 200);
  const whole = result.uncut!.get(1)!;
  assert.deepEqual([[...result.uncut!.keys()], whole.read!()], [[1], long]);
  assert.ok(whole.lines > 80 && whole.bytes > 400);
  const secret = resultOfServer({ content }, { ...options, mayKeep: false });
  assert.equal(secret.uncut!.get(1)!.read, undefined);
  assert.equal("uncut" in resultOfServer({ content: [content[0]!] }, options), false);
});

Deno.test("resultOfServer() leaves out what is about the connection, or too long, of '_meta'", () => {
  const metaOf = (_meta: Record<string, unknown>) =>
    resultOfServer({ content: [], _meta }, options).meta;
  assert.deepEqual(metaOf({ "io.modelcontextprotocol/x": 1, "mcp.dev/y": 1, "own/z": 1 }), {
    "own/z": 1,
  });
  assert.equal(metaOf({ "own/z": "x".repeat(40) }), undefined);
  assert.equal(metaOf({}), undefined);
});
