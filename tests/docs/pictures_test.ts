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

Deno.test("the pictures have a found tool, a result and a refusal", () => {
  for (const [name, picture] of drawn) {
    if (name.startsWith("asked")) {
      const steps = [/climax_search/, /climax_call/, /\? An agent wants/, /> yes/, /Add notes/];
      for (const step of steps) assert.match(picture, step);
      continue;
    }
    assert.match(picture, />git_push<[^]*>Upload commits/);
    assert.match(picture, />[0-9a-f]{7} Log each request once</);
    assert.match(picture, /value 'main' does not match pattern 'feature\/\.\*'/);
  }
});
