/** `output_search`: the lines of a kept output that an expression matches, with what is around them. */

import { RE2JS, RE2JSException } from "re2js";
import { searchableLength } from "../../document/searchable.ts";
import { headOf } from "../../text/cut_tokens.ts";
import { counted } from "../../text/plural.ts";
import { excerpt, quote } from "../../text/excerpt.ts";
import { type CallResult, textResult } from "../../tool/result.ts";
import type { ArgValues } from "../../tool/tool.ts";
import { nextCall, numberIn, type Reading, withOutput } from "./reading.ts";

/** Characters of a line that are shown, and that an expression is looked for in; of a large one, fewer. */
const longestShown = 2_000;
const longestSearched = 100_000;
/** Milliseconds a search may work, and how many of them while nothing else is answered. */
const longestMs = 2_000;
const longestSliceMs = 50;

/** Finds lines; RE2 takes a time that grows with the text alone. */
export function searchOutput(reading: Reading, values: ArgValues): Promise<CallResult> {
  return withOutput(reading, values, async (text, id) => {
    const pattern = String(values.get("pattern"));
    const expression = compile(pattern, values.get("ignore_case") === true);
    if (typeof expression === "string") return textResult(expression, true);
    const lines = text.replace(/\n$/, "").split("\n");
    const from = numberIn(values, "from_line")!;
    const found = await linesThatMatch(lines, expression, {
      from,
      most: numberIn(values, "limit")!,
    });
    if (found.at.length === 0) {
      const where = found.isWhole ? "" : ` up to line ${found.last}`;
      return textResult(`[no line of ${lines.length.toLocaleString("en-US")} matches${where}]`);
    }
    const around = { context: numberIn(values, "context")!, from };
    return textResult(shown(lines, found, around, { reading, id, pattern }));
  });
}

function compile(pattern: string, ignoreCase: boolean): RE2JS | string {
  try {
    return RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const why = error.message.replace(/^error parsing regexp: /, "");
    return `Argument 'pattern': ${quote(pattern)} is no RE2 expression: ${excerpt(why, 200)}`;
  }
}

interface Found {
  /** Line numbers, from 1. */
  readonly at: readonly number[];
  /** The last line that was looked at. */
  readonly last: number;
  readonly isWhole: boolean;
}

async function linesThatMatch(
  lines: readonly string[],
  expression: RE2JS,
  { from, most }: { readonly from: number; readonly most: number },
): Promise<Found> {
  const clock = new SlicedClock();
  const length = Math.min(longestSearched, searchableLength(expression));
  const at: number[] = [];
  for (let line = from; line <= lines.length; line++) {
    if (at.length === most || await clock.isOver()) {
      return { at, last: line - 1, isWhole: false };
    }
    const text = lines[line - 1]!.slice(0, length);
    if (expression.matcher(text).find()) at.push(line);
  }
  return { at, last: lines.length, isWhole: true };
}

/** Counts the time that is worked, and lets others in between. */
class SlicedClock {
  #worked = 0;
  #since = performance.now();

  async isOver(): Promise<boolean> {
    const slice = performance.now() - this.#since;
    if (slice < longestSliceMs) return false;
    this.#worked += slice;
    await new Promise((resolve) => setTimeout(resolve, 1));
    this.#since = performance.now();
    return this.#worked > longestMs;
  }
}

/** The lines as grep shows them: `12:` before one that matches, `11-` before one that is beside it. */
function shown(
  lines: readonly string[],
  { at, last, isWhole }: Found,
  { context, from }: { readonly context: number; readonly from: number },
  { reading, id, pattern }: { reading: Reading; id: string; pattern: string },
): string {
  const matching = new Set(at);
  const near = new Set(
    at.flatMap((line) => {
      return Array.from({ length: 2 * context + 1 }, (_, offset) => line - context + offset);
      // What is before was shown by whoever names this line as the next
    }).filter((line) => line >= from && line <= lines.length),
  );
  const numbers = [...near].toSorted((a, b) => a - b);
  const rows = numbers.map((line, index) => {
    const gap = index > 0 && line > numbers[index - 1]! + 1 ? "--\n" : "";
    const text = excerpt(lines[line - 1]!, longestShown).toWellFormed();
    return `${gap}${line}${matching.has(line) ? ":" : "-"} ${text}`;
  });
  const all = `${rows.join("\n")}\n`;
  const head = headOf(all, reading.maxTokens);
  const count = head.length === all.length ? rows.length : head.split("\n").filter(isRow).length;
  const isCut = count < rows.length;
  const reached = isCut ? numbers[Math.max(0, count - 1)]! : last;
  const said = counted(at.filter((line) => line <= reached).length, "matching line");
  const next = isCut || !isWhole
    ? ` up to line ${reached}${
      nextCall("output_search", { id, pattern }, { from_line: reached + 1 })
    }`
    : "";
  return `${head.replace(/\n$/, "")}\n[${said}${next}]`;
}

function isRow(line: string): boolean {
  return line !== "" && line !== "--";
}
