/** Takes compounds (`getrandomimage`) apart into words of the catalogue. Some 2 of R@5 on `api` and `functions`. */

import { splitCompound } from "../../text/compounds.ts";
import { inSlices, type Segment } from "./_postings.ts";
import type { Vocabulary } from "./_vocabulary.ts";

/** In how many names and descriptions a word must stand to be a part of compounds. */
const compoundPartUses = 3;

/** Appends the parts of compounds to `names` (words by document) that have them; gives the compounds' terms. */
export function* addCompoundParts(
  names: readonly (readonly string[])[],
  segments: Segment[][],
  vocabulary: Vocabulary,
): Generator<void, Set<number>> {
  const compounds = new Set<number>();
  const uses = yield* countUses(segments, vocabulary.terms.length);
  const isUsed = (word: string) => (uses[vocabulary.find(word) ?? -1] ?? 0) >= compoundPartUses;
  yield* inSlices(names, (words, document) => {
    const parts = words.flatMap((word) => {
      const partsOfWord = isUsed(word) ? [] : splitCompound(word, isUsed);
      if (partsOfWord.length > 0) compounds.add(vocabulary.find(word)!);
      return partsOfWord;
    });
    if (parts.length === 0) return;
    const name = segments[document]![0]!;
    const terms = [...name.terms, ...parts.map((part) => vocabulary.add(part))];
    segments[document]![0] = { ...name, terms, length: name.length + parts.length };
  });
  return compounds;
}

function* countUses(
  segments: readonly (readonly Segment[])[],
  termCount: number,
): Generator<void, Uint32Array> {
  const uses = new Uint32Array(termCount);
  yield* inSlices(segments, ([name, next]) => {
    const description = next?.field === 1 ? next.terms : [];
    for (const term of new Set([...name!.terms, ...description])) uses[term]!++;
  });
  return uses;
}
