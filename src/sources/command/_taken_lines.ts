/** Takes a part of an output's lines, as arguments with the key `lines` say, before a model reads it. */

import { Buffer } from "node:buffer";
import type { Captured, LineTaking } from "../../exec/invocation.ts";
import { plural } from "../../text/plural.ts";
import type { WholeOutput } from "../../tool/result.ts";
import { type ArgValues, lineSteps, type Tool } from "../../tool/tool.ts";

export function lineTakings({ args }: Pick<Tool, "args">, values: ArgValues): LineTaking[] {
  return lineSteps.flatMap((step) => {
    const arg = args.find(({ role }) => role.kind === "lines" && role.step === step);
    const value = arg && values.get(arg.name);
    return value === undefined || value === false
      ? []
      : [[step, Number(value), value === arg!.default] as const];
  });
}

/** Takes lines of an output with `count` lines. Returns `undefined` if all lines remain. */
export function takeLines(
  { text, bytes, isCut = false, binary }: Captured,
  takings: readonly LineTaking[],
  count = 0,
): { readonly stdout: Captured; readonly whole: Partial<WholeOutput> } | undefined {
  if (takings.length === 0 || text === "" || binary !== undefined) return undefined;
  const lines = text.replace(/\n$/, "").split("\n");
  const isPrefix = takings.every(([step]) => step === "first" || step === "rows");
  let [rest, of, heading] = [lines, Math.max(count, lines.length), 0];
  for (const [step, most] of takings) {
    if (step === "count") {
      const groups = Map.groupBy(rest, (line) => line).entries();
      rest = sortBy([...groups.map(([line, { length }]) => `${length} ${line}`)], parseInt);
      of = rest.length;
    }
    if (step === "top") rest = sortBy(rest, numberIn);
    if (step === "rows" && /^[\p{L}_"]/u.test(rest[0]!)) heading = 1;
    if (step !== "count") rest = rest.slice(0, heading + Math.max(0, most));
  }
  const isWhole = rest.length === of && (isPrefix || !isCut);
  if (isPrefix && isWhole) return undefined;
  // A cell of a CSV may have line breaks, and then lines cannot be counted as rows
  const isRows = heading === 1 && lines.every((line) => line.split('"').length % 2 === 1);
  const all = plural(of - heading, isRows ? "row" : "line");
  const words = `${rest.length - heading} of ${isCut && !isPrefix ? "more than " : ""}${all}`;
  const taken = `${rest.join("\n")}\n`;
  return {
    stdout: { text: taken, bytes: taken.length },
    whole: {
      isShown: isWhole,
      // A script gets the whole output, unless it has itself asked for a part
      isSource: !isPrefix || takings.some(([, , isDefault]) => !isDefault),
      lines: of - rest.length,
      bytes: bytes - Buffer.byteLength(taken),
      ...(isWhole ? {} : { extent: { words, next: isPrefix ? rest.length + 1 : 1 } }),
    },
  };
}

/** Sorts by the number of each line, largest first, then by text: programs print in an order that varies. */
function sortBy(lines: readonly string[], number: (line: string) => number): string[] {
  return lines.map((line) => [number(line), line] as const)
    .toSorted(([one, a], [other, b]) => other - one || (a < b ? -1 : 1))
    .map(([, line]) => line);
}

/** Returns the number of a line for sorting: after a colon at its end, or at its beginning or end, such as 12K. */
function numberIn(line: string): number {
  const [start, end] = [line.slice(0, 60), line.slice(-20).trimEnd()];
  const found = /:(\d+)$/.exec(end) ?? /^\s*(\d+(?:\.\d+)?)([KMGTP]?)B?\s/.exec(start) ??
    /(?<!\d)(\d+)$/.exec(end);
  return found === null ? -1 : Number(found[1]) * 1024 ** ("KMGTP".indexOf(found[2] || "-") + 1);
}
