import assert from "node:assert/strict";
import fc from "../_properties.ts";
import {
  type MessageId,
  type MessageScan,
  readId,
  scanMessage,
} from "../../src/text/message_scan.ts";

const encoder = new TextEncoder();
const scan = (text: string) => {
  const bytes = encoder.encode(text);
  const { idAt, ...rest } = scanMessage(bytes);
  return { ...rest, id: readId(bytes, { ...rest, idAt }) };
};

/** A number that JSON.stringify writes as it was. */
function digits(text: string): MessageId {
  return (JSON as unknown as { rawJSON(text: string): MessageId }).rawJSON(text);
}

type Expected = Omit<MessageScan, "idAt"> & { readonly id: MessageId };

const scans: readonly [text: string, expected: Expected][] = [
  ["", { values: 0, depth: 0, id: null }],
  ["{}", { values: 1, depth: 1, id: null }],
  [`{"id":1}`, { values: 1, depth: 1, id: 1 }],
  [` { "a" : 2 , "id" : -1.5e3 } `, { values: 2, depth: 1, id: -1500 }],
  [`{"id":"a\\"b,{","x":[1,2]}`, { values: 4, depth: 2, id: `a"b,{` }],
  [`{"params":{"id":7}}`, { values: 2, depth: 2, id: null }],
  [`{"x":"id","y":2}`, { values: 2, depth: 1, id: null }],
  [`{"id":null}`, { values: 1, depth: 1, id: null }],
  [`{"id":{"a":1}}`, { values: 2, depth: 2, id: null }],
  [`{"id":12345678901234567890}`, { values: 1, depth: 1, id: digits("12345678901234567890") }],
  [`{"id":"${"x".repeat(2000)}"}`, { values: 1, depth: 1, id: null }],
  [`[{"id":1},{"id":2}]`, { values: 4, depth: 2, id: null }],
  [`{"id":1,"p":"unended`, { values: 2, depth: 1, id: 1 }],
  [`{"id":"unended`, { values: 1, depth: 1, id: null }],
  [`"\\\\","id":3`, { values: 1, depth: 0, id: null }],
  ["]]]]}", { values: 0, depth: 0, id: null }],
];

for (const [text, expected] of scans) {
  Deno.test(`scanMessage() of ${text.slice(0, 40)}`, () => assert.deepEqual(scan(text), expected));
}

Deno.test("scanMessage() counts what JSON.parse makes of any message, or more", () => {
  const count = (value: unknown): number => {
    if (typeof value !== "object" || value === null) return 0;
    const inner = Object.values(value);
    return 1 + Math.max(0, inner.length - 1) +
      inner.map(count).reduce((sum, each) => sum + each, 0);
  };
  const depth = (value: unknown): number => {
    if (typeof value !== "object" || value === null) return 0;
    return 1 + Math.max(0, ...Object.values(value).map(depth));
  };
  const id = fc.oneof(fc.string(), fc.integer());
  fc.assert(fc.property(id, fc.jsonValue({ maxDepth: 5 }), (id, params) => {
    const text = JSON.stringify({ jsonrpc: "2.0", params, id });
    const value = JSON.parse(text);
    const expected = { values: count(value), depth: depth(value), id };
    assert.deepEqual(scan(text), expected);
  }));
});

Deno.test("scanMessage() takes any bytes", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
    scanMessage(bytes);
  }));
});
