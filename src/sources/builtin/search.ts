/** `output_search`: finds the lines of a stored output that an expression matches, with their context. */

import { runTask } from "../../worker/run_task.ts";
import type { MatchingLines } from "../../files/matching_lines.ts";
import { headOf } from "../../text/tokens.ts";
import { plural } from "../../text/plural.ts";
import { excerpt, quote } from "../../text/excerpt.ts";
import { type CallResult, textResult } from "../../tool/result.ts";
import type { ArgValues } from "../../tool/tool.ts";
import { nextCall, numberIn, type OutputServices, withOutput } from "./output_services.ts";

/** RE2 takes linear time. */
export function searchOutput(reading: OutputServices, values: ArgValues): Promise<CallResult> {
  return withOutput(reading, values, async (output, id) => {
    const pattern = String(values.get("pattern"));
    const whole = (await output.whole()).replace(/\n$/, "");
    const found = await runTask("lines", {
      text: whole,
      pattern,
      ignoreCase: values.get("ignore_case") === true,
      from: numberIn(values, "from_line")!,
      most: numberIn(values, "limit")!,
      context: numberIn(values, "context")!,
    }, reading);
    if ("noPattern" in found) {
      const why = `is not an RE2 expression: ${excerpt(found.noPattern, 200)}`;
      return textResult(`Argument 'pattern': ${quote(pattern)} ${why}`, true);
    }
    if ("timeoutReason" in found) {
      return textResult(`Output ${quote(id)} was not searched: ${found.timeoutReason}`, true);
    }
    if (found.at.length === 0) {
      const where = found.isWhole ? "" : ` up to line ${found.last}`;
      return textResult(`[no line of ${found.count.toLocaleString("en-US")} matches${where}]`);
    }
    return textResult(formatLines(found, { reading, id, pattern }));
  });
}

/** Formats lines as grep does: `12:` for a match, `11-` for context. */
function formatLines(
  { at, last, isWhole, near }: MatchingLines,
  { reading, id, pattern }: { reading: OutputServices; id: string; pattern: string },
): string {
  const matching = new Set(at);
  const numbers = [...near.keys()];
  const rows = [...near].map(([line, text], index) => {
    const gap = index > 0 && line > numbers[index - 1]! + 1 ? "--\n" : "";
    return `${gap}${line}${matching.has(line) ? ":" : "-"} ${text}`;
  });
  const all = `${rows.join("\n")}\n`;
  const head = headOf(all, reading.maxTokens);
  const count = head.length === all.length ? rows.length : head.split("\n").filter(isRow).length;
  const isCut = count < rows.length;
  const lastLine = isCut ? numbers[Math.max(0, count - 1)]! : last;
  const matches = plural(at.filter((line) => line <= lastLine).length, "matching line");
  const next = isCut || !isWhole
    ? ` up to line ${lastLine}${
      nextCall("output_search", { id, pattern }, { from_line: lastLine + 1 })
    }`
    : "";
  return `${head.replace(/\n$/, "")}\n[${matches}${next}]`;
}

function isRow(line: string): boolean {
  return line !== "" && line !== "--";
}
