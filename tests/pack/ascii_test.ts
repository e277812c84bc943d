/** Code in ASCII that means what it meant. */

import assert from "node:assert/strict";
import fc from "../_properties.ts";
import { asciiOf } from "../../src/pack/ascii.ts";

/** The value of an expression. */
function evaluate(code: string): unknown {
  return new Function(`return ${code}`)();
}

Deno.test("asciiOf() keeps the value of strings and templates", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    const string = asciiOf(JSON.stringify(text));
    assert.equal(/^[\0-\x7f]*$/.test(string), true);
    assert.equal(evaluate(string), text);
    const template = "`" + text.replace(/[\\`$\r]/g, "\\$&") + "`";
    assert.equal(evaluate(asciiOf(template)), evaluate(template));
  }));
});

Deno.test("asciiOf() keeps what regular expressions match and what names mean", () => {
  assert.equal(evaluate(asciiOf("/[。！😀]/u.test('😀')")), true);
  assert.equal(evaluate(asciiOf("/^[é-ü]+$/.test('éü')")), true);
  assert.equal(evaluate(asciiOf("(grün => grün + 1)(1)")), 2);
});
