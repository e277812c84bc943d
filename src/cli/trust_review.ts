/**
 * Prints what a person accepts with `climax trust`: a line for each tool, suspicious ones first, and the
 * definitions on demand. What is printed before the question fits a screen.
 */

import type { Review, ReviewedTool } from "../sources/upstream/review.ts";
import { excerpt } from "../text/excerpt.ts";
import { plural, thousands } from "../text/plural.ts";
import { effectColours, label } from "./colour.ts";
import { printTable, printText } from "./output.ts";
import type { Cell } from "./table.ts";

/** Tools in the table before the question. */
const maxRows = 20;

/** Lines of changes that are printed without being asked for. */
const maxChanges = 20;

/** Characters of a tool's first sentence. */
const maxSummary = 100;

/** Prints the tools of `review`, and the definitions too with `details`. */
export async function printReview(
  review: Review,
  doubts: readonly string[],
  details: boolean,
): Promise<void> {
  const changed = review.tools.filter(({ change }) => change !== "same");
  const rows = details ? changed : changed.slice(0, maxRows);
  if (review.transport !== undefined) {
    await printText(`its command or address is another one: ${review.transport}`);
  }
  if (review.summary !== "") {
    await printText(`its description: ${excerpt(review.summary, 2 * maxSummary)}`);
  }
  if (rows.length > 0) await printTools(rows);
  const left = changed.length - rows.length;
  if (left > 0) await printText(`and ${plural(left, "tool")} more`);
  const suspicions = [...review.suspicions, ...review.tools.flatMap((tool) => tool.suspicions)];
  for (const line of [...suspicions, ...doubts]) {
    await printText(`${label("warning", "stdout")} ${line}`);
  }
  if (details) await printDetails(review, changed);
  else await printShortChanges(changed.filter(({ change }) => change === "changed"));
}

async function printTools(tools: readonly ReviewedTool[]): Promise<void> {
  const hasSuspicions = tools.some(({ suspicions }) => suspicions.length > 0);
  const hasChanges = tools.some(({ change }) => change !== "new");
  const rows = tools.map((tool): Cell[] => {
    const { name, change, effect, summary, size, suspicions } = tool;
    const isSuspicious = suspicions.length > 0;
    return [
      ...(hasSuspicions ? [isSuspicious ? { text: "!", colour: "red" as const } : ""] : []),
      isSuspicious ? { text: name, colour: "red" } : name,
      ...(hasChanges ? [change] : []),
      effect === undefined ? "-" : { text: effect, colour: effectColours[effect] },
      change === "gone" ? "" : thousands(size),
      excerpt(summary, maxSummary),
    ];
  });
  const marks = hasSuspicions ? [" "] : [];
  const changes = hasChanges ? ["CHANGE"] : [];
  await printTable([...marks, "TOOL", ...changes, "CLAIMS", "CHARACTERS", "SAYS"], rows);
}

async function printDetails(review: Review, tools: readonly ReviewedTool[]): Promise<void> {
  if (review.details.length > 0) {
    await printText(["", "the server's description:", ...indented(review.details)]);
  }
  for (const { name, change, details } of tools.filter((tool) => tool.details.length > 0)) {
    await printText(["", `${change} tool ${name}:`, ...indented(details)]);
  }
}

/** Prints the changes of tools that were accepted before, if they are few. */
async function printShortChanges(tools: readonly ReviewedTool[]): Promise<void> {
  const count = tools.reduce((sum, { details }) => sum + details.length, 0);
  for (const { name, details } of count > maxChanges ? [] : tools) {
    await printText([`changed tool ${name}:`, ...indented(details)]);
  }
  if (count > maxChanges) await printText(`the changes have ${plural(count, "line")}`);
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
