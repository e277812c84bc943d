/** `output_read`: returns a part of a stored output, by lines or by bytes. */

import { Buffer } from "node:buffer";
import { endWithin, startFrom } from "../../text/utf8.ts";
import { headOf } from "../../text/cut_tokens.ts";
import { plural } from "../../text/plural.ts";
import { lineFeedsIn } from "../../text/lines.ts";
import { type CallResult, textResult } from "../../tool/result.ts";
import type { ArgValues } from "../../tool/tool.ts";
import { numberIn, type OutputServices, withOutput } from "./output_services.ts";

/** Returns a part, and the call that continues. */
export function readOutput(reading: OutputServices, values: ArgValues): Promise<CallResult> {
  const fromByte = numberIn(values, "from_byte");
  return withOutput(reading, values, (text, id) => {
    return textResult(
      fromByte === undefined
        ? linesOf(text, id, values, reading.maxTokens)
        : bytesOf(text, id, fromByte, reading.maxTokens),
    );
  });
}

function linesOf(whole: string, id: string, values: ArgValues, maxTokens: number): string {
  const text = whole.replace(/\n$/, "");
  const count = lineFeedsIn(text) + 1;
  const tail = numberIn(values, "tail");
  const first = tail === undefined
    ? numberIn(values, "from_line") ?? 1
    : Math.max(1, count - tail + 1);
  if (first > count) return `[the output has ${plural(count, "line")}]`;
  const start = skipLines(text, 0, first - 1);
  const end = skipLines(text, start, tail ?? numberIn(values, "lines")!);
  const part = text.slice(start, end).replace(/\n$/, "");
  const head = headOf(part, maxTokens);
  if (head.length < part.length && !head.endsWith("\n")) {
    // The first line is longer than the bound
    return bytesOf(whole, id, Buffer.byteLength(text.slice(0, start)), maxTokens);
  }
  const last = first + lineFeedsIn(head.replace(/\n$/, ""));
  const where = `lines ${first} to ${last} of ${count.toLocaleString("en-US")}`;
  const next = last < count ? `; next: output_read {"id": "${id}", "from_line": ${last + 1}}` : "";
  return `${head.replace(/\n$/, "")}\n[${where}${next}]`;
}

/** Returns the start of the line `count` lines after the one at `start`; the end if there is none. */
function skipLines(text: string, start: number, count: number): number {
  let at = start;
  for (let line = 0; line < count; line++) {
    const found = text.indexOf("\n", at);
    if (found === -1) return text.length;
    at = found + 1;
  }
  return at;
}

function bytesOf(text: string, id: string, from: number, maxTokens: number): string {
  const bytes = Buffer.from(text);
  if (from >= bytes.length) return `[the output has ${plural(bytes.length, "byte")}]`;
  const start = startFrom(bytes, from);
  // A token has at least one code unit, and rarely more than a dozen bytes
  const rest = bytes.subarray(start);
  const part = rest.subarray(0, endWithin(rest, 12 * maxTokens)).toString();
  const head = headOf(part, maxTokens);
  const end = start + Buffer.byteLength(head);
  const where = `bytes ${start} to ${end} of ${bytes.length.toLocaleString("en-US")}`;
  const next = end < bytes.length ? `; next: output_read {"id": "${id}", "from_byte": ${end}}` : "";
  return `${head}\n[${where}${next}]`;
}
