/** Takes words apart that were written as one: `getrandomimage` as get, random, image. */

/** Shorter words are not taken apart. */
const minCompoundLength = 8;
/** Longer ones are none that people write. */
const maxCompoundLength = 60;
/** Shorter words are no parts: too much splits into them by chance. */
const minPartLength = 3;
/** The fewest parts that together spell `word`, each one for which `isWord`, or none. */
export function splitCompound(word: string, isWord: (text: string) => boolean): string[] {
  if (word.length < minCompoundLength || word.length > maxCompoundLength) return [];
  const best: (string[] | undefined)[] = [[]];
  for (let end = minPartLength; end <= word.length; end++) {
    for (let start = 0; start <= end - minPartLength; start++) {
      const before = best[start];
      if (before === undefined || before.length + 1 >= (best[end]?.length ?? Infinity)) continue;
      const part = word.slice(start, end);
      if (part !== word && isWord(part)) best[end] = [...before, part];
    }
  }
  return best[word.length] ?? [];
}
