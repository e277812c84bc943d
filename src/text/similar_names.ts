/** Finds the known names that a mistyped name may mean. */

/** Names with more characters than this are not compared: a client may send a name of a megabyte. */
const maxLength = 128;

export function nearNames(name: string, known: Iterable<string>): string[] {
  return nearest(name, known, editsFor(name.length));
}

export function nearHint(name: string, known: Iterable<string>): string | undefined {
  const near = nearNames(name, known);
  return near.length === 0 ? undefined : `Did you mean: ${near.join(", ")}`;
}

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
  const near: { name: string; edits: number }[] = [];
  for (const candidate of known) {
    if (Math.abs(candidate.length - wanted.length) > bound + 2) continue;
    const lower = candidate.toLowerCase();
    const rearranged = sortWords(lower) === words || sortLetters(lower) === letters;
    const edits = rearranged ? 0 : editsBetween(wanted, lower, bound);
    if (edits <= bound) near.push({ name: candidate, edits });
  }
  return near.toSorted((a, b) => a.edits - b.edits).slice(0, 3).map((each) => each.name);
}

/** Returns the number of edits between `a` and `b` (Levenshtein distance), or any number over `max` if it is larger. */
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
