/** The pictures of the README show what the program prints today. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { pictures } from "../../build/_pictures.ts";
import { root } from "../_fixtures.ts";

const drawn = await pictures();

for (const [name, picture] of drawn) {
  Deno.test(`docs/pictures/${name} is what deno task write draws`, async () => {
    assert.equal(await Deno.readTextFile(join(root, "docs", "pictures", name)), picture);
  });
}

Deno.test("the README shows each picture", async () => {
  const readme = await Deno.readTextFile(join(root, "README.md"));
  for (const name of drawn.keys()) assert.ok(readme.includes(`docs/pictures/${name}`), name);
});
