/** Takes words apart that were written as one: `getrandomimage` as get, random, image. */

/** Shorter words are not taken apart. */
const shortestCompound = 8;
/** Longer ones are none that people write. */
const longestCompound = 60;
/** Shorter words are no parts: too much splits into them by chance. */
const shortestPart = 3;
/** The fewest parts that together spell `word`, each one for which `isWord`, or none. */
export function splitCompound(word: string, isWord: (text: string) => boolean): string[] {
  if (word.length < shortestCompound || word.length > longestCompound) return [];
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
