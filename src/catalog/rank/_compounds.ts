/**
 * Takes words apart that were written together: `getrandomimage` as get, random, image.
 *
 * A word is only taken apart into words that the catalogue uses elsewhere.
 */

/** Shorter words are not taken apart. */
const shortestCompound = 8;
/** Shorter words are no parts: too much splits into them by chance. */
const shortestPart = 3;

/** The fewest parts that together spell `word`, each one for which `isWord`, or none. */
export function splitCompound(word: string, isWord: (text: string) => boolean): string[] {
  if (word.length < shortestCompound) return [];
  const best: (string[] | undefined)[] = [[]];
  for (let end = shortestPart; end <= word.length; end++) {
    for (let start = 0; start <= end - shortestPart; start++) {
      const before = best[start];
      if (before === undefined || before.length + 1 >= (best[end]?.length ?? Infinity)) continue;
      const part = word.slice(start, end);
      if (part !== word && isWord(part)) best[end] = [...before, part];
    }
  }
  return best[word.length] ?? [];
}
