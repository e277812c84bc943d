import assert from "node:assert/strict";
import { workerBudget } from "../../src/files/work_budget.ts";
import { parseCsv } from "../../src/files/shape.ts";

const rows: readonly [what: string, text: string, records: object[]][] = [
  ["nothing", "", []],
  ["a line of names alone", "a,b\n", []],
  ["names and values", "a,b\n1,x\n2,y", [{ a: "1", b: "x" }, { a: "2", b: "y" }]],
  ["carriage returns", "a,b\r\n1,x\r\n", [{ a: "1", b: "x" }]],
  ["a byte order mark", '\ufeff"a",b\n1,x\n', [{ a: "1", b: "x" }]],
  ["line breaks and delimiters in quotes", 'a,b\n"1\r\n2","x,y"\n', [{ a: "1\r\n2", b: "x,y" }]],
  ["quotes in quotes", 'a\n"say ""hi"""\n', [{ a: 'say "hi"' }]],
  ["a quote within a cell", 'a,b\n5" disk,x\n', [{ a: '5" disk', b: "x" }]],
  ["formulas as they are", "a\n=1+1\n@SUM(A1)\n", [{ a: "=1+1" }, { a: "@SUM(A1)" }]],
  ["white space", "a,b\n 1 ,\t\n", [{ a: " 1 ", b: "\t" }]],
  ["empty lines", "a,b\n\n1,x\n\n", [{ a: "1", b: "x" }]],
  ["numbers as they are written", "id\n007\n12345678901234567890\n1e400\n", [
    { id: "007" },
    { id: "12345678901234567890" },
    { id: "1e400" },
  ]],
  ["short rows", "a,b,c\n1\n", [{ a: "1" }]],
  ["long rows", "a,b\n1,2,3\n", [{ a: "1", b: "2", column_3: "3" }]],
  ["a name twice, and none", "a,a,,a_2\n1,2,3,4\n", [{
    a: "1",
    a_2_: "2",
    column_3: "3",
    a_2: "4",
  }]],
];

for (const [what, text, records] of rows) {
  Deno.test(`parseCsv() reads ${what}`, () => {
    assert.deepEqual(parseCsv(text, { delimiter: "," }), records);
  });
}

Deno.test("parseCsv() makes keys of names that objects have", () => {
  const read = parseCsv("__proto__,constructor,toString\n1,2,3\n", { delimiter: "," });
  assert.deepEqual(Object.entries(read[0]!), [
    ["__proto__", "1"],
    ["constructor", "2"],
    ["toString", "3"],
  ]);
  assert.equal(Object.getPrototypeOf(read[0]), Object.prototype);
});

Deno.test("parseCsv() reads 1,000 columns and no more", () => {
  const row = (columns: number) => Array.from({ length: columns }, (_, at) => `c${at}`).join(",");
  assert.deepEqual(parseCsv(row(1000), { delimiter: "," }), []);
  const reason = /^the output is not CSV: a row has more than 1,000 columns$/;
  assert.throws(() => parseCsv(row(1001), { delimiter: "," }), { message: reason });
});

Deno.test("parseCsv() gives up on rows that cost it too much", () => {
  // Time is up at the eleventh read of the clock
  let time = 0;
  const budget = { ...workerBudget, now: () => time += workerBudget.ms / 10 };
  const text = `a,b\n${"a\n".repeat(2_000)}`;
  const message = "the output takes too long to read";
  assert.throws(() => parseCsv(text, { delimiter: "," }, budget), { message });
});
