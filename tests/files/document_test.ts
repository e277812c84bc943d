import assert from "node:assert/strict";
import fc from "../_properties.ts";
import { z } from "zod";
import { locate, readDocument } from "../../src/files/document.ts";
import type { Path } from "../../src/files/finding.ts";
import { describeValue } from "../../src/text/excerpt.ts";
import { formatProblem } from "../../src/errors.ts";

const schema = z.strictObject({
  name: z.string(),
  sizes: z.array(z.strictObject({ width: z.number().positive("expected more than 0") })).optional(),
  kind: z.enum(["a", "b"]).optional(),
});

async function problemsOf(text: string): Promise<string[]> {
  const result = await readDocument("f.yaml", text, schema);
  return result.ok ? [] : result.problems.map(formatProblem);
}

const texts: readonly [what: string, text: string, problems: string[]][] = [
  ["YAML that fits", "name: x\nsizes: [{width: 1}]\n", []],
  ["a key in JSON", '{\n  "name": "x",\n  "nme": 1\n}', [
    "f.yaml:3:3: Unknown key 'nme'\n  hint: Did you mean: name",
  ]],
  ["tabs in JSON", '{\n\t"name": "x",\n\t"nme": 1\n}', [
    "f.yaml:3:2: Unknown key 'nme'\n  hint: Did you mean: name",
  ]],
  [
    "a value deep inside",
    "name: x\nsizes:\n  - width: 1\n  - width: -1\n",
    ["f.yaml:4:5: 'width': expected more than 0"],
  ],
  [
    "a missing key of a list item",
    "name: x\nsizes:\n  - width: 1\n  - {}\n",
    ["f.yaml:4:5: Missing required key 'width'"],
  ],
  [
    "a value outside the choices",
    "kind: c\nname: x\n",
    ["f.yaml:1:1: 'kind': string 'c' is not one of: a, b"],
  ],
  [
    "problems in file order, whatever order the schema has",
    "kind: c\nsizes: 1\nname: [x]\n",
    [
      "f.yaml:1:1: 'kind': string 'c' is not one of: a, b",
      "f.yaml:2:1: 'sizes': expected a list, found number '1'",
      "f.yaml:3:1: 'name': expected a string, found a list",
    ],
  ],
];

for (const [what, text, problems] of texts) {
  Deno.test(`readDocument() locates ${what}`, async () => {
    assert.deepEqual(await problemsOf(text), problems);
  });
}

Deno.test("readDocument() takes lists and maps that end as formatters write them", async () => {
  const written = "a: [\n  x,\n]\nb:\n  - c: {\n      d: yes,\n    }\n    e: [\n    ]\n";
  const value = { a: ["x"], b: [{ c: { d: "yes" }, e: [] }] };
  assert.deepEqual(await readDocument("f", written, z.unknown()), { ok: true, value });
  const wrong = [`${written}a: 1\n`, `${written}c: [\n`, "a: [\n]\nb: *c\n", "a: {\n}\nb: !x 1\n"];
  for (const text of wrong) {
    assert.equal((await readDocument("f", text, z.unknown())).ok, false, text);
  }
});

Deno.test("readDocument() answers any text with a value or with places inside it", async () => {
  const yamlish = fc.constantFrom(
    ..."name: x|- |\n|  |{|}|[|]|,|:|\t|\"|'|#|&a |*a|<<: |!!str |? |---\n|...|%TAG|\0|😀|\r\n"
      .split("|"),
  );
  const text = fc.oneof(
    fc.array(yamlish, { maxLength: 12, size: "max" }).map((parts) => parts.join("")),
    fc.string({ unit: "binary" }),
    fc.json(),
  );
  await fc.assert(
    fc.asyncProperty(text, async (text) => {
      const result = await readDocument("f.yaml", text, schema);
      if (result.ok) return;
      assert.equal(result.problems.length > 0, true);
      for (const { line, column, message } of result.problems) {
        const lines = text.split("\n");
        assert.equal(line! >= 1 && line! <= lines.length, true, message);
        assert.equal(column! >= 1 && column! <= lines[line! - 1]!.length + 1, true, message);
        assert.doesNotMatch(message, /\n/);
      }
    }),
    { numRuns: 500 },
  );
});

const text = "a:\n  b: [1, {c: 2}]\n  d: &x\n    e: 3\nf: *x\n";
const places: readonly [path: Path, line: number, column: number][] = [
  [[], 1, 1],
  [["a", "b"], 2, 3],
  [["a", "b", 1, "c"], 2, 11],
  [["a", "d", "e"], 4, 5],
  [["a", "missing"], 2, 3],
  [["a", "b", 9], 2, 6],
  [["f", "e"], 5, 4],
  [["nowhere", "at", "all"], 1, 1],
];

for (const [path, line, column] of places) {
  Deno.test(`locate() finds ${JSON.stringify(path)} at ${line}:${column}`, async () => {
    const [problem] = await locate("f.yaml", text, [{ path, message: "Here" }]);
    assert.deepEqual(problem, { file: "f.yaml", line, column, message: "Here" });
  });
}

const values: readonly [value: unknown, text: string][] = [
  [undefined, "nothing"],
  [null, "nothing"],
  [[], "a list"],
  [{}, "a map"],
  ["", "string ''"],
  [0, "number '0'"],
  [false, "boolean 'false'"],
  ["x".repeat(60), `string '${"x".repeat(60)}'`],
  ["x".repeat(61), `string '${"x".repeat(60)}…'`],
  [`${"x".repeat(59)}😀`, `string '${"x".repeat(59)}…'`],
];

for (const [value, text] of values) {
  Deno.test(`describeValue() calls ${JSON.stringify(value)?.slice(0, 70)} ${text}`, () => {
    assert.equal(describeValue(value), text);
  });
}

Deno.test("readDocument() refuses what is too long before it reads it", async () => {
  const text = `name: x\n#${"#".repeat(16 * 1024 * 1024)}`;
  assert.deepEqual(await problemsOf(text), [
    "f.yaml:1:1: The file has over 16,777,216 characters",
  ]);
});

/** Documents that hold a parser for seconds, each with what is said instead. */
const slow: readonly (readonly [what: string, text: string, said: RegExp])[] = [
  [
    "anchors",
    Array.from({ length: 110_000 }, (_, n) => `k${n}: &k${n} [${n}]\n`).join(""),
    /over 10,000 anchors/,
  ],
  ["anchors in a list", `a: [${"&a x,".repeat(11_000)}]`, /over 10,000 anchors/],
  ["lists in lists", `a: ${"[".repeat(50_000)}${"]".repeat(50_000)}`, /over 100 levels/],
  ["maps in maps", "{a: ".repeat(20_000), /over 100 levels/],
  ["items in items", `${"- ".repeat(50_000)}x`, /over 100 levels/],
  ["keys of keys", `${"? ".repeat(50_000)}x`, /over 100 levels/],
];

for (const [what, text, said] of slow) {
  Deno.test(`readDocument() says of many ${what} that they are too many, before it reads them`, async () => {
    const read = await readDocument("x.yaml", text, z.unknown());
    assert.equal(read.ok, false);
    if (!read.ok) assert.match(read.problems.map(({ message }) => message).join(), said);
  });
}
