/** Finds the known names that a mistyped one may mean. */

import leven from "leven";

/** Longest name that is compared: a suggestion is not worth the time for a megabyte. */
const maxLength = 128;

/**
 * Up to three of `known` that are near `name`, nearest first: within a third of its length in
 * single-character edits, letter case aside, or the same words or letters in another order.
 */
export function nearNames(name: string, known: Iterable<string>): string[] {
  if (name.length === 0 || name.length > maxLength) return [];
  const wanted = name.toLowerCase();
  const bound = Math.max(1, Math.floor(wanted.length / 3));
  const words = sortedWords(wanted);
  const letters = sortedLetters(wanted);
  const near: { name: string; edits: number }[] = [];
  for (const candidate of known) {
    const lower = candidate.toLowerCase();
    const rearranged = sortedWords(lower) === words || sortedLetters(lower) === letters;
    const edits = rearranged ? 0 : leven(wanted, lower, { maxDistance: bound + 1 });
    if (edits <= bound) near.push({ name: candidate, edits });
  }
  return near.toSorted((a, b) => a.edits - b.edits).slice(0, 3).map((each) => each.name);
}

function sortedWords(name: string): string {
  return name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "").toSorted().join(" ");
}

function sortedLetters(name: string): string {
  return [...name].toSorted().join("");
}
