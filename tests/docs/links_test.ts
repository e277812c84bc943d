/** Links from page to page lead to what is there, in a clone and in the npm package alike; tables are whole. */

import assert from "node:assert/strict";
import { dirname, join, normalize } from "node:path";
import { addressPages, withRepository } from "../../build/_repository.ts";
import { root } from "../_fixtures.ts";

const pages = [
  "README.md",
  "CHANGELOG.md",
  ".github/CONTRIBUTING.md",
  "bench/README.md",
  "build/README.md",
  "SECURITY.md",
  ...[...Deno.readDirSync(join(root, "docs"))].map(({ name }) => name)
    .filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`),
];

/** A heading as the anchor that leads to it. */
function anchor(heading: string): string {
  return heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
}

async function anchors(page: string): Promise<string[]> {
  const text = await Deno.readTextFile(join(root, page));
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchor(heading!));
}

for (const page of pages) {
  Deno.test(`the links of ${page} lead somewhere`, async () => {
    const text = await Deno.readTextFile(join(root, page));
    for (const [, link] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link!)) continue;
      const [path = "", heading] = link!.split("#");
      const target = path === "" ? page : normalize(join(dirname(page), path));
      const isThere = await Deno.stat(join(root, target)).then(() => true, () => false);
      assert.ok(isThere, `${page}: ${link}`);
      if (heading === undefined) continue;
      assert.ok((await anchors(target)).includes(heading), `${page}: ${link}`);
    }
  });
}

Deno.test("pages have the repository's address of deno.json: deno task write address", async () => {
  for (const page of pages) {
    const text = await Deno.readTextFile(join(root, page));
    assert.equal(withRepository(text), text, page);
    if (/github\.com\/[^/]+\/climax\b/.test(text)) assert.ok(addressPages.includes(page), page);
  }
});

for (const page of pages) {
  Deno.test(`the tables of ${page} are whole`, async () => {
    const text = await Deno.readTextFile(join(root, page));
    // A row after an empty line begins a table, whose second line makes it one
    const rows = [...text.matchAll(/\n\n(\|.*\n)(?!\|[ :|-]+\|\n)/g)].map(([, row]) => row);
    assert.deepEqual(rows, []);
  });
}
