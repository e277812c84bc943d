/** What is selected of any value, and that its text can be taken apart again. */

import assert from "node:assert/strict";
import fc from "../_properties.ts";
import { compileSelect, type Select, type Selection } from "../../src/files/selection.ts";

function selected(select: Select, value: unknown): Selection {
  const selector = compileSelect(select);
  assert.ok(typeof selector === "function");
  const selection = selector(value);
  assert.ok("text" in selection);
  return selection;
}

const texts = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "\t", "\n", '"', " a", "5"),
);
const values = fc.oneof(fc.jsonValue({ maxDepth: 3 }), texts);

Deno.test("a row for each item, whatever is in them, and a cell for each column", () => {
  const record = fc.record({ a: values, "b\tc": values, __proto__: values }, { requiredKeys: [] });
  fc.assert(
    fc.property(fc.array(record, { minLength: 1 }), (items) => {
      const columns = [{ name: "a" }, { name: "b\tc" }, { name: "d", path: "$.a" }];
      const { text, value } = selected({ columns }, items);
      if (text.startsWith("[no value: ")) return;
      const rows = text.split("\n").map((row) => row.split("\t"));
      assert.equal(rows.length, items.length + 1);
      assert.deepEqual([...new Set(rows.map((row) => row.length))], [3]);
      assert.deepEqual(rows[0], ["a", '"b\\tc"', "d"]);
      for (const [at, cells] of rows.slice(1).entries()) {
        const item = (value as Record<string, unknown>[])[at]!;
        assert.equal(cells[0] === "", !Object.hasOwn(item, "a"));
        assert.equal(cells[0], cells[2]);
      }
    }),
    { numRuns: 1000 },
  );
});

const rows = [{ a: 1, b: [] }, { a: 2, c: "x" }];

const missing:
  readonly (readonly [what: string, Select, unknown, text: string, notes: string[]])[] = [
    ["a column", { columns: [{ name: "a" }, { name: "x" }] }, rows, "a\tx\n1\t\n2\t", [
      "no item has the column 'x'; columns are a, b, c",
    ]],
    [
      "the path of one",
      { columns: [{ name: "a" }, { name: "n", path: "$.x.y" }] },
      rows,
      "a\tn\n1\t\n2\t",
      ["column 'n' is empty: $.x.y selects nothing of any item; columns are a, b, c"],
    ],
    ["a column that only some items have", { columns: [{ name: "c" }] }, rows, "c\n\nx", []],
    [
      "all columns",
      { columns: [{ name: "x" }] },
      rows,
      "[no value: no item of the output has x; columns are a, b, c]",
      [],
    ],
    [
      "columns of items that have none",
      { columns: [{ name: "x" }] },
      [1, 2],
      "[no value: no item of the output has x]",
      [],
    ],
    [
      "a path",
      { items: "$.x" },
      { a: 1, "b\n": 2 },
      "[no value: $.x selects nothing of the output, an object with a, b]",
      [],
    ],
    [
      "a path into a list",
      { items: "$.x" },
      rows,
      "[no value: $.x selects nothing of the output, a list of 2 items]",
      [],
    ],
    [
      "a path into one value",
      { items: "$.x" },
      5,
      "[no value: $.x selects nothing of the output, which is one value]",
      [],
    ],
  ];

for (const [what, select, value, text, notes] of missing) {
  Deno.test(`compileSelect() says what there is where it misses ${what}`, () => {
    const selection = selected(select, value);
    assert.equal(selection.text, text);
    assert.deepEqual(selection.notes, notes);
  });
}

Deno.test("compileSelect() gives up on more text than it may select", () => {
  // Each level has all of those below it once more
  let value: unknown = "x".repeat(100_000);
  for (let level = 0; level < 100; level++) value = [value];
  const selector = compileSelect({ items: "$..*" });
  assert.ok(typeof selector === "function");
  assert.deepEqual(selector(value), { reason: "it selects more than 8 MiB of text" });
});
