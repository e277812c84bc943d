import assert from "node:assert/strict";
import fc from "../_properties.ts";
import { MessageCounter } from "../../src/net/send_once.ts";
import { scanMessage } from "../../src/text/message_scan.ts";

const encoder = new TextEncoder();

function countIn(text: string, size: number, isStream: boolean) {
  const bytes = encoder.encode(text);
  const counter = new MessageCounter({}, isStream);
  for (let at = 0; at < bytes.length; at += size) counter.add(bytes.subarray(at, at + size));
  return { values: counter.values, depth: counter.depth };
}

Deno.test("MessageCounter counts as scanMessage() does, in pieces of any size", () => {
  const odd = fc.constantFrom('"unended', '"\\\\","a":[3]', "]]]]}", '{"a\\"b,{":[1,2]}');
  fc.assert(fc.property(fc.oneof(fc.json(), odd), fc.integer({ min: 1, max: 9 }), (text, size) => {
    const { values, depth } = scanMessage(encoder.encode(text));
    assert.deepEqual(countIn(text, size, false), { values, depth });
  }));
});

const streams: readonly (readonly [text: string, values: number, depth: number])[] = [
  ["data: [1,2]\n", 3, 1],
  ["data: [1,2]\r\n", 3, 1],
  ["data: [1,2]\n\n", 0, 0],
  ["data: [1,2]\r\r", 0, 0],
  ["data: [1,2]\r\n\r\n", 0, 0],
  ["data: [1,2]\n\r\n", 0, 0],
  ["data: [[1]]\n\ndata: [2]", 1, 1],
  [': "\ndata: [1]\n', 3, 1],
  ["data: [\ndata: [\ndata: 1]]", 4, 2],
  ["\n\r\n\r", 3, 0],
];

for (const [text, values, depth] of streams) {
  Deno.test(`MessageCounter counts the event that has begun in ${JSON.stringify(text)}`, () => {
    for (const size of [1, 2, 3, 100]) {
      assert.deepEqual(countIn(text, size, true), { values, depth });
    }
  });
}
