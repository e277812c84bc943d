/** Compares two texts line by line. */

import { diffArrays } from "diff";

/** If more lines than this differ, all lines count as changed. */
const maxEditLength = 1000;

/** One line of a difference, with `-` if it was removed, `+` if it was added. */
type DiffLine = readonly [mark: "-" | "+" | " ", line: string];

/** Returns the lines of both texts in order, removed lines in front of added ones. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const changes = diffArrays(old, now, { maxEditLength }) ??
    [{ value: old, removed: true }, { value: now, added: true }];
  return changes.flatMap(({ value, added, removed }) => {
    const mark = removed ? "-" : added ? "+" : " ";
    return value.map((line) => [mark, line] as const);
  });
}

/** Returns the changed lines with up to `context` unchanged lines around them, and `…` for omitted lines. */
export function formatDiff(lines: readonly DiffLine[], context = 2): string[] {
  const near = lines.map((_, index) => {
    return lines.slice(Math.max(0, index - context), index + context + 1)
      .some(([mark]) => mark !== " ");
  });
  return lines.flatMap(([mark, line], index) => {
    if (near[index]) return [`${mark} ${line}`];
    return near[index - 1] && near.indexOf(true, index) !== -1 ? ["  …"] : [];
  });
}

/**
 * Finds the part in which two texts differ: the text that is gone, the text that came, and the line of `before` where
 * it begins, from 1. A pure insertion or removal is moved to the start of a line if possible.
 */
export function changeBetween(before: string, after: string) {
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

/** Returns by how many code units the changed part can move back to the start of a line without another result. */
function slideToLine(text: string, start: number, end: number): number {
  for (let back = 0; back <= start; back++) {
    if (start === back || text[start - back - 1] === "\n") return back;
    if (text[start - back - 1] !== text.at(-1 - end - back)) return 0;
  }
  return 0;
}
