/** What is selected of any value, and that its text can be taken apart again. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { compileSelect, type Select, type Selection } from "../../src/document/selection.ts";

function selected(select: Select, value: unknown): Selection {
  const selector = compileSelect(select);
  assert.ok(typeof selector === "function");
  const selection = selector(value);
  assert.ok("text" in selection);
  return selection;
}

/** The value that a cell is the text of. */
function read(cell: string): unknown {
  return /^["[{]|^(?:null|true|false|-?\d.*)$/.test(cell) ? valueOf(cell) : cell;
}

function valueOf(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

const texts = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "\t", "\n", '"', " a", "5"),
);
const values = fc.oneof(fc.jsonValue({ maxDepth: 3 }), texts);

Deno.test("a line for each item, whatever is in them, that says what it is", () => {
  fc.assert(
    fc.property(fc.array(values, { minLength: 1 }), (items) => {
      const { text, value } = selected({ items: "$[*]" }, items);
      const lines = text.split("\n");
      assert.equal(lines.length, items.length);
      assert.deepEqual(value, items);
      for (const [at, line] of lines.entries()) {
        const item = items[at];
        // Of a text without quotes it is not told whether it was a number
        if (typeof item === "string" && line === item) continue;
        assert.deepEqual(read(line), JSON.parse(JSON.stringify(item)));
      }
    }),
    { numRuns: 1000 },
  );
});

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
