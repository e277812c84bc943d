/** Takes lines of what a program has printed, as arguments with `lines` say: it prints all, and a model reads a part. */

import { Buffer } from "node:buffer";
import type { Captured, LineTaking } from "../../exec/invocation.ts";
import { plural } from "../../text/plural.ts";
import type { WholeOutput } from "../../tool/result.ts";
import { type ArgValues, lineSteps, type Tool } from "../../tool/tool.ts";

/** Returns the steps of a call in the order in which they are taken. */
export function lineTakings({ args }: Pick<Tool, "args">, values: ArgValues): LineTaking[] {
  const takings = args.flatMap(({ name, role, ...arg }) => {
    const value = values.get(name);
    if (role.kind !== "lines" || value === undefined || value === false) return [];
    return [{ step: role.step, most: Number(value), isDefault: value === arg.default }];
  });
  return lineSteps.flatMap((step) => takings.filter((taking) => taking.step === step));
}

interface TakenLines {
  readonly stdout: Captured;
  /** What the part changes in the whole output behind it. */
  readonly whole: Partial<WholeOutput>;
}

/** Takes lines of an output, of which the program has printed `count`; nothing if all of them stay as they are. */
export function takeLines(
  { text, bytes, isCut = false, binary }: Captured,
  takings: readonly LineTaking[],
  count = 0,
): TakenLines | undefined {
  if (takings.length === 0 || text === "" || binary !== undefined) return undefined;
  const lines = text.replace(/\n$/, "").split("\n");
  const isPrefix = takings.every(({ step }) => step === "first" || step === "rows");
  let [rest, of, heading] = [lines, Math.max(count, lines.length), 0];
  for (const { step, most } of takings) {
    if (step === "count") rest = countEqual(rest);
    if (step === "top") rest = sortBy(rest, numberIn);
    if (!isPrefix) of = Math.max(rest.length, step === "count" ? 0 : of);
    if (step === "rows" && /^[\p{L}_"]/u.test(rest[0]!)) heading = 1;
    if (step !== "count") rest = rest.slice(0, heading + most);
  }
  if (isPrefix && rest.length === of) return undefined;
  // A cell may have line breaks: then lines are not rows
  const isRows = heading === 1 && lines.every((line) => line.split('"').length % 2 === 1);
  const shown = `${rest.join("\n")}\n`;
  const isWhole = rest.length === of && !isCut;
  const all = `${isCut && !isPrefix ? "more than " : ""}${
    plural(of - heading, isRows ? "row" : "line")
  }`;
  const words = `${(rest.length - heading).toLocaleString("en-US")} of ${all}`;
  return {
    stdout: { text: shown, bytes: shown.length },
    whole: {
      isShown: isWhole,
      // Scripts get the whole, unless they have asked for a part
      isSource: !isPrefix || takings.some(({ isDefault }) => !isDefault),
      lines: of - rest.length,
      bytes: bytes - Buffer.byteLength(shown),
      ...(isWhole ? {} : { extent: { words, ...(isPrefix ? { next: rest.length + 1 } : {}) } }),
    },
  };
}

/** Returns each different line with its number in front, the most frequent ones first. */
function countEqual(lines: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return sortBy([...counts.keys()], (line) => counts.get(line)!)
    .map((line) => `${counts.get(line)} ${line}`);
}

/** Sorts by a number, the largest first, and then by the text: programs print in any order. */
function sortBy(lines: readonly string[], number: (line: string) => number): string[] {
  return lines.map((line) => [number(line), line] as const)
    .toSorted(([one, a], [other, b]) => other - one || (a < b ? -1 : 1))
    .map(([, line]) => line);
}

/** Returns the number at the end of a line, behind a colon, or else at its beginning or end, such as 12K. */
function numberIn(line: string): number {
  const [start, end] = [line.slice(0, 60), line.slice(-20).trimEnd()];
  const found = /:(\d+)$/.exec(end) ?? /^\s*(\d+(?:\.\d+)?)([KMGTP]?)B?\s/.exec(start) ??
    /(\d+)$/.exec(end);
  return found === null ? -1 : Number(found[1]) * 1024 ** ("KMGTP".indexOf(found[2] || "-") + 1);
}
