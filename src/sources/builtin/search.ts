/** `output_search`: the lines of a kept output that an expression matches, with what is around them. */

import { RE2JS, RE2JSException } from "re2js";
import { carryOut } from "../../call/apart.ts";
import type { MatchingLines } from "../../document/matching_lines.ts";
import { headOf } from "../../text/cut_tokens.ts";
import { counted } from "../../text/plural.ts";
import { excerpt, quote } from "../../text/excerpt.ts";
import { type CallResult, textResult } from "../../tool/result.ts";
import type { ArgValues } from "../../tool/tool.ts";
import { nextCall, numberIn, type Reading, withOutput } from "./reading.ts";

/** Characters of a line that are shown. */
const longestShown = 2_000;

/** Finds lines; RE2 takes a time that grows with the text alone. */
export function searchOutput(reading: Reading, values: ArgValues): Promise<CallResult> {
  return withOutput(reading, values, async (text, id) => {
    const pattern = String(values.get("pattern"));
    const ignoreCase = values.get("ignore_case") === true;
    const wrong = whyWrong(pattern, ignoreCase);
    if (wrong !== undefined) return textResult(wrong, true);
    const whole = text.replace(/\n$/, "");
    const from = numberIn(values, "from_line")!;
    const most = numberIn(values, "limit")!;
    const input = { text: whole, pattern, ignoreCase, from, most };
    const found = await carryOut("lines", input, reading);
    if ("givenUp" in found) {
      return textResult(`Output ${quote(id)} was not searched: ${found.givenUp}`, true);
    }
    const lines = whole.split("\n");
    if (found.at.length === 0) {
      const where = found.isWhole ? "" : ` up to line ${found.last}`;
      return textResult(`[no line of ${lines.length.toLocaleString("en-US")} matches${where}]`);
    }
    const around = { context: numberIn(values, "context")!, from };
    return textResult(shown(lines, found, around, { reading, id, pattern }));
  });
}

function whyWrong(pattern: string, ignoreCase: boolean): string | undefined {
  try {
    RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    return undefined;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const why = error.message.replace(/^error parsing regexp: /, "");
    return `Argument 'pattern': ${quote(pattern)} is no RE2 expression: ${excerpt(why, 200)}`;
  }
}

/** The lines as grep shows them: `12:` before one that matches, `11-` before one that is beside it. */
function shown(
  lines: readonly string[],
  { at, last, isWhole }: MatchingLines,
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
