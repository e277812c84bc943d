import assert from "node:assert/strict";
import { join } from "node:path";
import { referencePage } from "../../build/_reference.ts";
import { root } from "../_fixtures.ts";

Deno.test("docs/reference.md is what the schemas say; deno task write writes it", async () => {
  assert.equal(await Deno.readTextFile(join(root, "docs", "reference.md")), referencePage());
});

Deno.test("docs/reference.md has words for every key", () => {
  const rows = referencePage().split("\n").filter((line) => line.startsWith("| `"));
  assert.equal(rows.length > 100, true);
  assert.deepEqual(rows.filter((row) => / \| *\|$/.test(row)), []);
});
