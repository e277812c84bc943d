/** `output_json`: selects from a stored output by JSONPath (RFC 9535). */

import { runTask } from "../../worker/run_task.ts";
import { headOf } from "../../text/tokens.ts";
import { plural } from "../../text/plural.ts";
import { quote } from "../../text/excerpt.ts";
import { type CallResult, textResult } from "../../tool/result.ts";
import type { ArgValues } from "../../tool/tool.ts";
import { nextCall, numberIn, type OutputServices, withOutput } from "./output_services.ts";

/** Most characters of a token, on average. */
const longestToken = 12;

/** Selects values, and returns each as a line of JSON. */
export function selectOfOutput(reading: OutputServices, values: ArgValues): Promise<CallResult> {
  return withOutput(reading, values, async (output, id) => {
    const path = String(values.get("path"));
    const from = numberIn(values, "from")!;
    const found = await runTask("path", {
      text: stdoutIn(await output.whole()),
      path,
      from,
      most: numberIn(values, "limit")!,
      characters: reading.maxTokens * longestToken,
    }, reading);
    if ("noPath" in found) return wrongPath(path, found.noPath);
    if ("timeoutReason" in found) return wrongPath(path, found.timeoutReason);
    if ("noJson" in found) {
      return textResult(`Output ${quote(id)} is not JSON: ${found.noJson}`, true);
    }
    if (found.rows.length > 0) return textResult(formatRows(found, from, { reading, id, path }));
    return textResult(`[no value${found.isBehind ? ` from ${from} on` : ""}]`);
  });
}

function wrongPath(path: string, reason: string): CallResult {
  return textResult(`Argument 'path': ${quote(path)} cannot be followed: ${reason}`, true);
}

/** Returns stdout alone: in a stored output, stderr and the ending follow it. */
function stdoutIn(whole: string): string {
  return whole.replace(/\n\n\[(?:exit code: -?\d+|signal: \w+)\]$/, "")
    .split("\n\n[stderr]\n", 1)[0]!;
}

function formatRows(
  { rows, hasMore }: { readonly rows: readonly string[]; readonly hasMore: boolean },
  from: number,
  { reading, id, path }: { reading: OutputServices; id: string; path: string },
): string {
  const all = `${rows.join("\n")}\n`;
  const head = headOf(all, reading.maxTokens);
  if (head.length < all.length && !head.endsWith("\n")) {
    return `${head}\n[the value ${from} was cut: select less of it, or read it with output_read]`;
  }
  const rowCount = head.length === all.length ? rows.length : head.split("\n").length - 1;
  const next = hasMore || rowCount < rows.length
    ? nextCall("output_json", { id, path }, { from: from + rowCount })
    : "";
  return `${head.replace(/\n$/, "")}\n[${plural(rowCount, "value")}${next}]`;
}
