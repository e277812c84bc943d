/** Compares two texts line by line. */

/** Comparisons of lines that are made at most; beyond, everything counts as changed. */
const maxCells = 4_000_000;

/** One line of a difference: gone, new, or as it was. */
export type DiffLine = readonly [mark: "-" | "+" | " ", line: string];

/** The lines of both texts in order, those of `before` that are gone ahead of the new ones. */
export function diffLines(before: string, after: string): DiffLine[] {
  const old = before.split("\n");
  const now = after.split("\n");
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  const most = Math.min(old.length, now.length) - start;
  while (end < most && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  return [
    ...old.slice(0, start).map((line) => [" ", line] as const),
    ...diffMiddle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...old.slice(old.length - end).map((line) => [" ", line] as const),
  ];
}

/** By the longest common subsequence. */
function diffMiddle(old: readonly string[], now: readonly string[]): DiffLine[] {
  if (old.length * now.length > maxCells) {
    return [...old.map((line) => ["-", line] as const), ...now.map((line) => ["+", line] as const)];
  }
  const width = now.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let row = old.length - 1; row >= 0; row--) {
    for (let column = now.length - 1; column >= 0; column--) {
      lengths[row * width + column] = old[row] === now[column]
        ? lengths[(row + 1) * width + column + 1]! + 1
        : Math.max(lengths[(row + 1) * width + column]!, lengths[row * width + column + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < now.length) {
    const below = lengths[(row + 1) * width + column] ?? 0;
    const right = lengths[row * width + column + 1] ?? 0;
    if (row < old.length && column < now.length && old[row] === now[column]) {
      lines.push([" ", old[row++]!]);
      column++;
    } else if (row < old.length && (column >= now.length || below >= right)) {
      lines.push(["-", old[row++]!]);
    } else {
      lines.push(["+", now[column++]!]);
    }
  }
  return lines;
}

/** The changed lines with up to `context` unchanged ones around them, `…` where more are left out. */
export function shownDiff(lines: readonly DiffLine[], context = 2): string[] {
  const near = lines.map((_, index) => {
    return lines.slice(Math.max(0, index - context), index + context + 1)
      .some(([mark]) => mark !== " ");
  });
  return lines.flatMap(([mark, line], index) => {
    if (near[index]) return [`${mark} ${line}`];
    return near[index - 1] && near.indexOf(true, index) !== -1 ? ["  …"] : [];
  });
}

/** The one part in which two texts differ. */
export interface Change {
  /** The line of `before` in which it begins, counted from 1. */
  readonly line: number;
  readonly gone: string;
  readonly come: string;
}

/** What is between the beginning and the end that both texts have, from the start of a line if it may be. */
export function changeBetween(before: string, after: string): Change {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const back = slideToLine(before.length > after.length ? before : after, start, end);
  const isPure = start + end === most;
  start -= isPure ? back : 0;
  end += isPure ? back : 0;
  return {
    line: before.slice(0, start).split("\n").length,
    gone: before.slice(start, before.length - end),
    come: after.slice(start, after.length - end),
  };
}

/** How far the part of `text` between `start` and `end` moves back to a line's start and is the same. */
function slideToLine(text: string, start: number, end: number): number {
  for (let back = 0; back <= start; back++) {
    if (start === back || text[start - back - 1] === "\n") return back;
    if (text[start - back - 1] !== text.at(-1 - end - back)) return 0;
  }
  return 0;
}
