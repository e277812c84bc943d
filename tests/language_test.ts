/** Texts and comments use plain words: those of `_language.ts` stand nowhere but where they stood. */

import assert from "node:assert/strict";
import { countsOf, grown, hitsIn, readTexts, words } from "./_language.ts";
import known from "./language.json" with { type: "json" };

const counts = known as Readonly<Record<string, Readonly<Record<string, number>>>>;
const hits = hitsIn(readTexts());
const found = countsOf(hits);

for (const { name, instead } of words) {
  Deno.test(`no new text has '${name}'`, () => {
    const fresh = hits.filter(({ word, file }) => {
      return word.name === name && found[name]![file]! > (counts[name]?.[file] ?? 0);
    });
    const places = fresh.map(({ file, line, text }) => `${file}:${line}: ${text}`);
    const hint = `Instead of '${name}': ${instead}. After files have moved: deno task language`;
    assert.deepEqual(places, [], [hint, ...places].join("\n"));
  });
}

Deno.test("the counts of words that are left shrink with them", () => {
  const gone = Object.entries(counts).flatMap(([name, files]) => {
    return Object.entries(files).filter(([file, count]) => count > (found[name]?.[file] ?? 0))
      .map(([file]) => `${name}: ${file}`);
  });
  assert.deepEqual(gone, [], ["deno task language writes the new counts", ...gone].join("\n"));
});

/** A text, and the words that are found in it. */
const cases: readonly (readonly [text: string, names: readonly string[]])[] = [
  ["a call goes on behind its answer", ["behind an answer"]],
  ["// it goes on\n  // behind the result", ["behind an answer"]],
  [" * What a call comes\n * to, for whoever asks", ["whoever", "come to"]],
  ['"is none " +\n  "of yours, " + `lets\n  go of`', ["let go of", "is none of", "of ours"]],
  ["It stands behind a flag, beside the others", []],
  ["coming together, a comet, nobodyElse", []],
];

for (const [text, names] of cases) {
  Deno.test(`the words in ${JSON.stringify(text)} are found`, () => {
    const inText = hitsIn(new Map([["a.ts", text]]));
    assert.deepEqual(inText.map(({ word }) => word.name), names);
  });
}

Deno.test("grown() counts by word, so that a file may move", () => {
  assert.deepEqual(grown({ anew: { "b.ts": 1 } }, { anew: { "a.ts": 1 } }), []);
  assert.deepEqual(grown({ anew: { "a.ts": 1, "b.ts": 1 } }, { anew: { "a.ts": 1 } }), ["anew"]);
});
