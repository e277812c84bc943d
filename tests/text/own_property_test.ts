import assert from "node:assert/strict";
import { ownProperty } from "../../src/text/own_property.ts";

Deno.test("ownProperty() gives what is the object's own", () => {
  assert.equal(ownProperty({ a: 1 }, "a"), 1);
  assert.equal(ownProperty(JSON.parse('{"__proto__": 2}'), "__proto__"), 2);
  for (const key of ["__proto__", "constructor", "toString"]) {
    assert.equal(ownProperty({}, key), undefined);
  }
  for (const value of [null, undefined, "text", 1]) {
    assert.equal(ownProperty(value, "length"), undefined);
  }
});
