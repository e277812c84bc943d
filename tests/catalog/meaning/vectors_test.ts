import assert from "node:assert/strict";
import fc from "../../_properties.ts";
import { cosines, toBytes } from "../../../src/catalog/meaning/meaning.ts";

Deno.test("cosines() of bytes are those of the vectors, to a hundredth or two", () => {
  const number = fc.integer({ min: -1000, max: 1000 });
  const vector = fc.array(number, { minLength: 8, maxLength: 8 }).filter((v) =>
    v.some((n) => n !== 0)
  );
  fc.assert(fc.property(vector, vector, (first, second) => {
    const [a, b] = [unit(first), unit(second)];
    const exact = a.reduce((sum, value, place) => sum + value * b[place]!, 0);
    const [found, same] = cosines([toBytes(b), toBytes(a)], a);
    assert.ok(Math.abs(found! - exact) < 0.02, `${found} for ${exact}`);
    assert.ok(same! > 0.99);
  }));
});

function unit(numbers: readonly number[]): Float32Array {
  const length = Math.hypot(...numbers);
  return Float32Array.from(numbers, (value) => value / length);
}
