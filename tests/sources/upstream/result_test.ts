import assert from "node:assert/strict";
import { type AnswerOptions, resultOfServer } from "../../../src/sources/upstream/result.ts";
import { textOf } from "../../../src/tool/result.ts";

const options: AnswerOptions = {
  keepBytes: 20,
  mayKeep: true,
  served: (address) => address,
};

Deno.test("resultOfServer() keeps both ends of a long text, and the whole where it may", () => {
  const long = "line\n".repeat(100);
  const content = ["short", long].map((text) => ({ type: "text", text }) as const);
  const result = resultOfServer({ content }, options);
  assert.deepEqual(result.content[0], content[0]);
  assert.ok(textOf({ content: [result.content[1]!] }).length < 200);
  const whole = result.wholeOutputs!.get(1)!;
  assert.deepEqual([[...result.wholeOutputs!.keys()], whole.read!()], [[1], long]);
  assert.ok(whole.lines > 80 && whole.bytes > 400);
  const secret = resultOfServer({ content }, { ...options, mayKeep: false });
  assert.equal(secret.wholeOutputs!.get(1)!.read, undefined);
  assert.equal("wholeOutputs" in resultOfServer({ content: [content[0]!] }, options), false);
});

Deno.test("resultOfServer() counts bytes, and says so when structured content is left out", () => {
  const texts = [13, 14].map((length) => ({ type: "text", text: "✓".repeat(length) }) as const);
  const { content } = resultOfServer({ content: texts }, options);
  assert.deepEqual(content[0], texts[0]);
  assert.match(textOf({ content: [content[1]!] }), /^✓+[^]*[^✓]/);
  const ofLength = (length: number) => {
    return resultOfServer({ structuredContent: { a: "x".repeat(length) }, isError: true }, options);
  };
  // {"a":""}
  const [fits, large] = [ofLength(32), ofLength(33)];
  assert.deepEqual([fits.content, fits.structured], [[], { a: "x".repeat(32) }]);
  assert.equal(textOf(large), "[structured content of 41 bytes left out]");
  assert.deepEqual([large.structured, large.isError, large.record], [undefined, true, {
    ending: "error",
  }]);
});

Deno.test("resultOfServer() leaves out what is about the connection, or too long, of '_meta'", () => {
  const metaOf = (_meta: Record<string, unknown>) =>
    resultOfServer({ content: [], _meta }, options).meta;
  assert.deepEqual(metaOf({ "io.modelcontextprotocol/x": 1, "mcp.dev/y": 1, "own/z": 1 }), {
    "own/z": 1,
  });
  // {"own/z":""}
  const most = { "own/z": "x".repeat(28) };
  assert.deepEqual(metaOf(most), most);
  assert.equal(metaOf({ "own/z": `${most["own/z"]}x` }), undefined);
  assert.equal(metaOf({}), undefined);
});
