/** Compares two texts line by line. */

import { diffArrays } from "diff";

/** If two texts differ by more lines than this, all their lines count as changed, since comparing takes too long. */
const maxEditLength = 1000;

type DiffLine = readonly [mark: "-" | "+" | " ", line: string];

export function diffLines(before: string, after: string): DiffLine[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const changes = diffArrays(old, now, { maxEditLength }) ??
    [{ value: old, removed: true }, { value: now, added: true }];
  return changes.flatMap(({ value, added, removed }) => {
    const mark = removed ? "-" : added ? "+" : " ";
    return value.map((line) => [mark, line] as const);
  });
}

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

/** Finds the one part in which two texts differ. `line` is the line of `before` where the part begins, from 1. */
export function changeBetween(before: string, after: string) {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return {
    line: before.slice(0, start).split("\n").length,
    gone: before.slice(start, before.length - end),
    come: after.slice(start, after.length - end),
  };
}
