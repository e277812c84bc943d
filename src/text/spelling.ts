/** Whether a term may be what a misspelled word should have been. */

import { toTerm } from "./words.ts";

/** Shorter words are not corrected: too many of them are one edit apart. */
const minCorrectedLength = 4;
/** Common endings that a Porter stem is without. */
const commonEndings = ["s", "es", "e", "ed", "ing"];

/** Tells which terms are one edit from `word`: a character more, less, changed, or two swapped. */
export function isOneEditFrom(word: string): (term: string) => boolean {
  const endings = commonEndings.filter((ending) => word.endsWith(ending));
  const stems = endings.map((ending) => word.slice(0, word.length - ending.length));
  const forms = [...new Set([toTerm(word), ...stems])];
  const longEnough = forms.filter((form) => form.length >= minCorrectedLength);
  return (term) =>
    term.length >= minCorrectedLength && longEnough.some((form) => isOneEditAway(form, term));
}

/** Whether a character more, less, changed, or two swapped make `a` of `b`. */
export function isOneEditAway(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let endA = a.length;
  let endB = b.length;
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  const [restA, restB] = [endA - start, endB - start];
  if (restA <= 1 && restB <= 1) return true;
  return restA === 2 && restB === 2 && a[start] === b[start + 1] && a[start + 1] === b[start];
}
