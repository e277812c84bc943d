/** Queries for which words are enough: a single one, or those of a tool's name. */

import { isUnspaced, splitWords } from "../../text/words.ts";

/** Names of more words are not looked for. */
const maxNameWords = 12;
/** Words of a query that are looked at. */
const maxQueryWords = 200;

/** Gives a function that says whether a query is one word or spells out one of `names`. */
export function readNames(names: readonly string[]): (query: string) => boolean {
  const spelled = new Set(names.map((name) => splitWords(name).join(" ")));
  return (query) => {
    const words = splitWords(query).slice(0, maxQueryWords);
    if (words.length <= 1 || !(/\s/.test(query.trim()) || isUnspaced(query))) return true;
    return words.some((_, start) => {
      for (let end = start + 2; end <= Math.min(words.length, start + maxNameWords); end++) {
        if (spelled.has(words.slice(start, end).join(" "))) return true;
      }
      return false;
    });
  };
}
