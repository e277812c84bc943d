import assert from "node:assert/strict";
import fc from "../_properties.ts";
import { endWithin, startFrom } from "../../src/text/lines.ts";

Deno.test("endWithin() and startFrom() cut between characters, and lose none beside the cut", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "é", "€", "😀") });
  fc.assert(fc.property(text, fc.nat(40), (text, at) => {
    const bytes = new TextEncoder().encode(text);
    const [end, start] = [endWithin(bytes, at), startFrom(bytes, Math.min(at, bytes.length))];
    const decoder = new TextDecoder("utf-8", { fatal: true });
    const before = decoder.decode(bytes.subarray(0, end));
    const after = decoder.decode(bytes.subarray(start));
    assert.ok(text.startsWith(before) && text.endsWith(after));
    assert.ok(end <= at && at - end < 4 || end === bytes.length);
    assert.ok(start - Math.min(at, bytes.length) < 4);
  }));
});
