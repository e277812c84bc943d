/** `output_json`: what a JSONPath (RFC 9535) selects of a kept output. */

import { parseExactly } from "../../document/exact_json.ts";
import { compilePath, PathError, type Selecting } from "../../document/json_path.ts";
import { messageOf } from "../../errors.ts";
import { headOf } from "../../text/cut_tokens.ts";
import { counted } from "../../text/plural.ts";
import { excerpt, quote } from "../../text/excerpt.ts";
import { jsonWithoutControls } from "../../text/plainly.ts";
import { type CallResult, textResult } from "../../tool/result.ts";
import type { ArgValues } from "../../tool/tool.ts";
import { nextCall, numberIn, type Reading, withOutput } from "./reading.ts";

/** Selects, and shows each value as a line of JSON. */
export function selectOfOutput(reading: Reading, values: ArgValues): Promise<CallResult> {
  return withOutput(reading, values, (text, id) => {
    const path = String(values.get("path"));
    const selecting = compilePath(path);
    if (typeof selecting !== "function") return wrongPath(path, selecting.reason);
    const value = valueOf(text);
    if ("reason" in value) {
      return textResult(`Output ${quote(id)} is no JSON: ${value.reason}`, true);
    }
    const range = { from: numberIn(values, "from")!, most: numberIn(values, "limit")! };
    try {
      return textResult(shown(selecting(value.value), range, { reading, id, path }));
    } catch (error) {
      if (!(error instanceof PathError)) throw error;
      return wrongPath(path, error.message);
    }
  });
}

function wrongPath(path: string, reason: string): CallResult {
  return textResult(`Argument 'path': ${quote(path)} cannot be followed: ${reason}`, true);
}

/** The value of a text: one of JSON, or, of lines of JSON, a list. */
function valueOf(whole: string): { readonly value: unknown } | { readonly reason: string } {
  // What the program wrote to stderr stands behind it, and how it ended
  const [text] = whole.replace(/\n\n\[(?:exit code: -?\d+|signal: \w+)\]$/, "")
    .split("\n\n[stderr]\n", 1) as [string];
  try {
    return { value: parseExactly(text) };
  } catch (error) {
    const reason = excerpt(messageOf(error).split("\n", 1)[0]!, 200);
    try {
      const lines = text.split("\n").filter((line) => line.trim() !== "");
      if (lines.length < 2) return { reason };
      return { value: lines.map(parseExactly) };
    } catch {
      return { reason };
    }
  }
}

function shown(
  selected: ReturnType<Selecting>,
  { from, most }: { readonly from: number; readonly most: number },
  { reading, id, path }: { reading: Reading; id: string; path: string },
): string {
  const rows: string[] = [];
  let count = 0;
  let length = 0;
  let hasMore = false;
  for (const value of selected) {
    count++;
    if (count < from) continue;
    // No token is longer on average
    if (rows.length === most || length > reading.maxTokens * 12) {
      hasMore = true;
      break;
    }
    const row = jsonWithoutControls(value);
    rows.push(row);
    length += row.length;
  }
  if (rows.length === 0) return `[no value${count > 0 ? ` from ${from} on` : ""}]`;
  const all = `${rows.join("\n")}\n`;
  const head = headOf(all, reading.maxTokens);
  if (head.length < all.length && !head.endsWith("\n")) {
    return `${head}\n[the value ${from} was cut: select less of it, or read it with output_read]`;
  }
  const fit = head.length === all.length ? rows.length : head.split("\n").length - 1;
  const next = hasMore || fit < rows.length
    ? nextCall("output_json", { id, path }, { from: from + fit })
    : "";
  return `${head.replace(/\n$/, "")}\n[${counted(fit, "value")}${next}]`;
}
