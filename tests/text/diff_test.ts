import assert from "node:assert/strict";
import fc from "../_properties.ts";
import { changeBetween, diffLines, formatDiff } from "../../src/text/diff.ts";

Deno.test("changeBetween() says all that has changed, and where", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n") });
  fc.assert(fc.property(text, text, text, text, (start, end, old, now) => {
    const [before, after] = [start + old + end, start + now + end];
    const { line, gone, come } = changeBetween(before, after);
    const first = before.split("\n").slice(0, line - 1).join("\n").length;
    const places = Array.from({ length: before.length + 1 }, (_, at) => at).filter((at) => {
      return at >= first && before.slice(at).startsWith(gone) &&
        before.slice(0, at) + come + before.slice(at + gone.length) === after;
    });
    assert.notEqual(places.length, 0);
  }));
});

Deno.test("diffLines() gives both texts back, and shownDiff() what is near a change", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n") });
  fc.assert(fc.property(text, text, (before, after) => {
    const lines = diffLines(before, after);
    const without = (mark: string) =>
      lines.filter(([each]) => each !== mark).map(([, line]) => line);
    assert.equal(without("+").join("\n"), before);
    assert.equal(without("-").join("\n"), after);
  }));
  const lines = diffLines("1\n2\n3\n4\n5\n6\n7", "1\n2\n3\nfour\n5\n6\nseven");
  assert.deepEqual(formatDiff(lines, 1), ["  3", "- 4", "+ four", "  5", "  6", "- 7", "+ seven"]);
});
