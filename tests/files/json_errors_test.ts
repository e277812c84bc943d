/** Where texts stop being JSON, and that they do exactly where the runtime says so. */

import assert from "node:assert/strict";
import fc from "../_properties.ts";
import { jsonFault } from "../../src/files/json_errors.ts";
import { parseJson } from "../../src/files/json.ts";

for (
  const [text, offset, message] of [
    ["", 0, "expected a value, found the end"],
    ["a: [b\n", 0, "expected a value or a key in double quotes, found 'a'"],
    ['{ "version" "1" }', 12, "expected ':', found '\"1\"'"],
    ["[1 2]", 3, "expected ',' or a closing bracket, found '2'"],
    ["[1,]", 3, "expected a value, found ']'"],
    ['{"a": 1,}', 8, "expected a key in double quotes, found '}'"],
    ["{a: 1}", 1, "expected a value or a key in double quotes, found 'a'"],
    ["{} {}", 3, "expected nothing more, found '{'"],
    ['{"a": ', 6, "expected a value, found the end"],
    ["[01]", 2, "expected ',' or a closing bracket, found '1'"],
    ["[True]", 1, "expected a value or a key in double quotes, found 'True'"],
    ['["a\nb"]', 1, "expected '\"' at the end of the text, found '\"a'"],
    ["[😀]", 1, "expected a value or a key in double quotes, found '😀'"],
  ] as [string, number, string][]
) {
  Deno.test(`jsonFault() finds what is wrong with ${JSON.stringify(text)}`, () => {
    const fault = jsonFault(text);
    assert.equal(fault?.offset, offset);
    assert.ok(fault.message.startsWith(message), fault.message);
  });
}

Deno.test("jsonFault() finds nothing in JSON, and something in everything else", () => {
  const cut = fc.tuple(fc.json(), fc.nat(), fc.nat(3), fc.constantFrom(...'{}[],:"\\ 0-.eE+tn\n'));
  fc.assert(fc.property(cut, ([text, at, gone, come]) => {
    const where = at % (text.length + 1);
    for (const each of [text, text.slice(0, where) + come + text.slice(where + gone)]) {
      let isJson = true;
      try {
        JSON.parse(each);
      } catch {
        isJson = false;
      }
      const fault = jsonFault(each);
      assert.equal(fault === undefined, isJson, each);
      assert.ok((fault?.offset ?? 0) <= each.length);
    }
  }));
});

Deno.test("parseJson() gives the value, or the fault, of a text of any size", async () => {
  assert.deepEqual(await parseJson('{"a": [1]}'), { value: { a: [1] } });
  assert.equal("fault" in await parseJson("[".repeat(100_000)), true);
  const long = `["${"a".repeat(5_000_000)}"`;
  assert.deepEqual(await parseJson(long), {
    fault: { offset: long.length, message: "expected ']', found the end" },
  });
});
