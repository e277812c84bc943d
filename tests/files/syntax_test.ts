/** What a person is told whose YAML is none: plain words, the line, and the rest of the file. */

import assert from "node:assert/strict";
import { z } from "zod";
import { readDocument } from "../../src/files/document.ts";
import { formatProblem } from "../../src/errors.ts";

const schema = z.strictObject({
  a: z.unknown(),
  b: z.number().optional(),
  c: z.number().optional(),
});

async function said(text: string): Promise<string> {
  const result = await readDocument("f", text, schema);
  assert.equal(result.ok, false);
  return result.ok ? "" : result.problems.map(formatProblem).join("\n");
}

const rows: readonly [text: string, said: string][] = [
  [
    "a: It does: this\n",
    "f:1:4: A ': ' within a text begins another key\n  1 | a: It does: this\n    |    ^\n" +
    '  hint: Quote the text: it contains ": "',
  ],
  ["a: 'x\nb: 1\n", "f:3:1: A text in quotes is not closed\n  hint: Put a quote at its end"],
  [
    "a:\n\tb: 1\n",
    "f:2:1: A line is indented with a tab\n  2 |  b: 1\n    | ^\n  hint: Indent with spaces",
  ],
  [
    "a: { b: $.c[*] }\n",
    "f:1:12: A [ or { within a text begins a list or a map, inside of { } and [ ]\n" +
    "  1 | a: { b: $.c[*] }\n    |            ^\n" +
    "  hint: Quote the text",
  ],
  [
    "a: x\n  b: 1\n",
    "f:1:4: A key is indented below a value\n  1 | a: x\n    |    ^\n" +
    "  hint: Indent the line below this one as this one is",
  ],
  [
    "a:\n  - b: 1\n   c: 2\n",
    "f:3:1: Wrong indentation: no line above begins in the same column\n  3 |    c: 2\n    | ^\n" +
    "  hint: Line it up with the other keys of its map",
  ],
  ["a: 1\na: 2\n", "f:2:1: Duplicate key 'a'\n  2 | a: 2\n    | ^"],
  [
    'a: "\\q"\n',
    'f:1:5: Invalid escape sequence \\q\n  1 | a: "\\q"\n    |     ^',
  ],
  ["a: [1, 2\nb: 3\n", "f:2:1: A list in [ ] is not closed\n  2 | b: 3\n    | ^"],
  ["a: @x\n", "f:1:4: A text cannot begin with @\n  1 | a: @x\n    |    ^\n  hint: Quote the text"],
  [
    "a: `x`\n",
    "f:1:4: A text cannot begin with `\n  1 | a: `x`\n    |    ^\n  hint: Quote the text",
  ],
  [
    "a:\n  b: 1\n c: 2\n",
    "f:3:1: Wrong indentation: no line above begins in the same column\n  3 |  c: 2\n    | ^\n" +
    "  hint: Line it up with the other keys of its map",
  ],
  [
    "a:b\nc: d\n",
    "f:1:1: A key has no ': ' after it\n  1 | a:b\n    | ^\n  hint: Put a space after the ':'",
  ],
  [
    "a: |x\n  b\n",
    "f:1:5: Block scalar header includes extra characters: |x\n  1 | a: |x\n    |     ^",
  ],
  [
    "a: 'it's'\n",
    "f:1:8: There is text after a closing quote\n  1 | a: 'it's'\n    |        ^\n" +
    "  hint: Quote the whole text",
  ],
  [
    "a: - c\n",
    "f:1:4: Unexpected block-seq-ind on same line with key\n  1 | a: - c\n    |    ^",
  ],
];

for (const [text, expected] of rows) {
  Deno.test(`readDocument() says in plain words what is wrong with ${JSON.stringify(text)}`, async () => {
    assert.equal(await said(text), expected);
  });
}

Deno.test("readDocument() shows a line no longer than a screen, and no control characters", async () => {
  const text = `a: ${"x".repeat(300)}\u001b[2J ${"é".repeat(10)}: @${"y".repeat(300)}: z\n`;
  const shown = await said(text);
  assert.equal(shown.split("\n").every((line) => line.length < 200), true);
  assert.equal(shown.includes("\u001b"), false);
});

Deno.test("readDocument() says of thousands of levels of keys that they are too many", async () => {
  const result = await readDocument("f", `a: ${"{".repeat(5000)}`, z.object({ a: z.string() }));
  assert.deepEqual(result.ok ? [] : result.problems.map(({ line, message }) => [line, message]), [
    [1, "The document has over 100 levels, or is no YAML"],
  ]);
});
