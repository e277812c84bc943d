/** The glossary has each term once, in alphabetical order, with a meaning. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { root } from "../_fixtures.ts";

const page = await Deno.readTextFile(join(root, "docs/glossary.md"));
const [, , ...rows] = page.split("\n").filter((line) => line.startsWith("|"))
  .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));

Deno.test("the terms of the glossary stand in alphabetical order, each once", () => {
  const terms = rows.flatMap(([term]) => term!.split(", "));
  assert.deepEqual([...new Set(terms)], terms);
  const first = rows.map(([term]) => term!.toLowerCase());
  assert.deepEqual(first, first.toSorted());
});

Deno.test("each term of the glossary has one line and perhaps a source", () => {
  for (const cells of rows) {
    assert.equal(cells.length, 3, cells.join(" | "));
    assert.match(cells[1]!, /^(?!$)(?!.*\.$)/, cells[0]);
  }
  assert.equal(rows.length > 60, true);
});
