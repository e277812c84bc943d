/** Large lists of a bundle are smaller in it and the same once they are used. */

import assert from "node:assert/strict";
import { packedData, withoutPacked } from "../../src/pack/packed_data.ts";

const entries = Array.from({ length: 20_000 }, (_, index) => `      "token ${index}"`).join(",\n");
const odd = "      `\n  line`,\n      [1, 2, [3]],\n      '$& \\u{1F600}',\n";

function bundle(list: string): string {
  return `let data;\nconst init = () => {\n    data = [\n${list}\n    ];\n    data.length;\n};\n` +
    "init();\nexport default data;\n";
}

async function evaluate(code: string): Promise<unknown> {
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  return (await import(url)).default;
}

Deno.test("packedData() packs a large list", async () => {
  const code = bundle(odd + entries);
  const packed = await packedData(code);
  assert.ok(packed.length < code.length / 2, `${packed.length} of ${code.length}`);
  assert.deepEqual(await evaluate(packed), await evaluate(code));
});

Deno.test("packedData() leaves a small list as it is", async () => {
  const code = bundle(`      "a",\n      "b"`);
  assert.equal(await packedData(code), code);
});

Deno.test("withoutPacked() leaves out what packedData() packed, and nothing else", async () => {
  const [small, words] = [bundle(`      "a"`), bundle(noise())];
  const packed = await packedData(words);
  const left = withoutPacked(small + packed);
  assert.ok(packed.length > 100_000 && left.length < small.length + 500, `${left.length}`);
  assert.equal(withoutPacked(small), small);
});

/** A list that stays large when it is packed. */
function noise(): string {
  const line = () => `      "${crypto.getRandomValues(new Uint8Array(60)).toBase64()}"`;
  return Array.from({ length: 2_000 }, line).join(",\n");
}
