import assert from "node:assert/strict";
import { parseExactly } from "../../src/document/exact_json.ts";
import { compilePath, PathError } from "../../src/document/json_path.ts";

const value = {
  items: [{ name: "a1", n: 1 }, { name: "b2", n: 2, deep: { name: "c3" } }],
  big: Array.from({ length: 3000 }, (_, at) => at),
};

function select(path: string): unknown[] {
  const selecting = compilePath(path);
  if (typeof selecting !== "function") throw new Error(selecting.reason);
  return [...selecting(value)];
}

const paths: readonly [path: string, values: unknown[]][] = [
  ["$.items[*].name", ["a1", "b2"]],
  ["$.items[?@.n > 1].name", ["b2"]],
  ["$..name", ["a1", "b2", "c3"]],
  ['$.items[?match(@.name, "[a-z]1")].n', [1]],
  ['$.items[?search(@.name, "^b")].n', [2]],
  ['$.items[?match(@.name, "(")].n', []],
  ["$.items[?count(@.*) == 3].name", ["b2"]],
  ["$.nothing", []],
];

for (const [path, values] of paths) {
  Deno.test(`compilePath() follows ${path}`, () => assert.deepEqual(select(path), values));
}

for (const path of ["$[", "items", "$.a[?nope(@)]", `$.${"a".repeat(2000)}`, ""]) {
  Deno.test(`compilePath() says what is wrong with ${path.slice(0, 20)}`, () => {
    const compiled = compilePath(path);
    assert.ok(typeof compiled !== "function" && compiled.reason.length > 0);
  });
}

const costly = [
  "$.big[?$.big[?$.big[?1==2]]]",
  "$..[?@..[?$..[?$..*]]]",
  "$.big[?count($.big[?count($..*) > 9]) > 9]",
  `$${"[*,*]".repeat(3)}${"[?$..*]".repeat(2)}`,
  `$${"..*".repeat(60)}`,
];

for (const path of costly) {
  Deno.test(`compilePath() gives up on ${path.slice(0, 40)}`, () => {
    const began = performance.now();
    try {
      select(path);
    } catch (error) {
      assert.ok(error instanceof PathError, String(error));
    }
    assert.ok(performance.now() - began < 10_000);
  });
}

Deno.test("compilePath() gives up on a value that is too deep", () => {
  const selecting = compilePath("$..a");
  assert.ok(typeof selecting === "function");
  const deep = JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`);
  assert.throws(() => [...selecting(deep)], PathError);
});

Deno.test("parseExactly() keeps numbers as they were written", () => {
  const text =
    '{"id":1234567890123456789,"n":0.1,"s":"1234567890123456789","x":12345678901234567000}';
  assert.equal(JSON.stringify(parseExactly(text)), text);
  assert.equal(JSON.stringify(parseExactly("[1, 2.50]")), "[1,2.5]");
  assert.throws(() => parseExactly("{"), SyntaxError);
});
