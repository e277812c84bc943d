/** Finds the known names that a mistyped one may mean. */

/** Longest name that is compared: a suggestion is not worth the time for a megabyte. */
const maxLength = 128;

/** Up to three of `known` within a third of the length in edits, or reordered, nearest first. */
export function nearNames(name: string, known: Iterable<string>): string[] {
  if (name.length === 0 || name.length > maxLength) return [];
  return nearest(name, known, editsFor(name.length));
}

/** A hint that names those of `known` that are near `name`; `undefined` when none is. */
export function nearHint(name: string, known: Iterable<string>): string | undefined {
  const near = nearNames(name, known);
  return near.length === 0 ? undefined : `Did you mean: ${near.join(", ")}`;
}

/** {@linkcode nearNames} with two edits at most, and within a third of the words that differ. */
export function misspeltNames(name: string, known: Iterable<string>): string[] {
  return nearest(name, known, Math.min(2, editsFor(name.length))).filter((other) => {
    const [wrong, right] = [name, other].map((each) => each.toLowerCase().split(/[^\p{L}\p{N}]+/u));
    while (wrong!.length > 0 && wrong![0] === right![0]) [wrong!.shift(), right!.shift()];
    while (wrong!.length > 0 && wrong!.at(-1) === right!.at(-1)) [wrong!.pop(), right!.pop()];
    const [rest, own] = [wrong!.join(""), right!.join("")];
    return sortLetters(rest) === sortLetters(own) ||
      editsBetween(rest, own) <= editsFor(rest.length);
  });
}

function editsFor(length: number): number {
  return Math.max(1, Math.floor(length / 3));
}

function nearest(name: string, known: Iterable<string>, bound: number): string[] {
  if (name.length === 0 || name.length > maxLength) return [];
  const wanted = name.toLowerCase();
  const words = sortWords(wanted);
  const letters = sortLetters(wanted);
  const bits = letterBits(wanted);
  const near: { name: string; edits: number }[] = [];
  for (const candidate of known) {
    // Each edit changes two letters at most; words in another order may have other separators
    if (Math.abs(candidate.length - wanted.length) > bound + 2) continue;
    if (bitCount(letterBits(candidate) ^ bits) > 2 * bound) continue;
    const lower = candidate.toLowerCase();
    const rearranged = sortWords(lower) === words || sortLetters(lower) === letters;
    const edits = rearranged ? 0 : editsBetween(wanted, lower, bound);
    if (edits <= bound) near.push({ name: candidate, edits });
  }
  return near.toSorted((a, b) => a.edits - b.edits).slice(0, 3).map((each) => each.name);
}

/** Levenshtein distance of `a` and `b`; any number over `max` where it is more. */
function editsBetween(a: string, b: string, max = Infinity): number {
  const row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 0; i < a.length; i++) {
    let diagonal = row[0]!;
    let min = row[0] = i + 1;
    for (let j = 0; j < b.length; j++) {
      const above = row[j + 1]!;
      const isSame = a.charCodeAt(i) === b.charCodeAt(j);
      const edits = isSame ? diagonal : 1 + Math.min(diagonal, above, row[j]!);
      diagonal = above;
      row[j + 1] = edits;
      min = Math.min(min, edits);
    }
    if (min > max) return min;
  }
  return row[b.length]!;
}

function sortWords(name: string): string {
  return name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "").toSorted().join(" ");
}

function sortLetters(name: string): string {
  return [...name].toSorted().join("");
}

/** A bit for each ASCII letter and digit in `name`, some for two: faster to compare than letters are. */
function letterBits(name: string): number {
  let bits = 0;
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at);
    const isLetter = (code | 32) > 96 && (code | 32) < 123;
    if (isLetter || (code > 47 && code < 58)) bits |= 1 << (code & 31);
  }
  return bits;
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}
