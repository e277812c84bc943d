/**
 * Takes words apart that were written together: `getrandomimage` as get, random, image.
 *
 * A word is only taken apart into words that the catalogue uses elsewhere.
 */

/** Shorter words are not taken apart. */
const SHORTEST_COMPOUND = 8;
/** Shorter words are no parts: too much splits into them by chance. */
const SHORTEST_PART = 3;

/**
 * The fewest parts that together spell `word`, or none.
 *
 * @param isWord whether a text is a word of the catalogue
 */
export function splitCompound(word: string, isWord: (text: string) => boolean): string[] {
  if (word.length < SHORTEST_COMPOUND) return [];
  const best: (string[] | undefined)[] = [[]];
  for (let end = SHORTEST_PART; end <= word.length; end++) {
    for (let start = 0; start <= end - SHORTEST_PART; start++) {
      const before = best[start];
      if (before === undefined || before.length + 1 >= (best[end]?.length ?? Infinity)) continue;
      const part = word.slice(start, end);
      if (part !== word && isWord(part)) best[end] = [...before, part];
    }
  }
  return best[word.length] ?? [];
}
