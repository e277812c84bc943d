/** `output_read`: returns a part of a stored output, by lines or by bytes. */

import { Buffer } from "node:buffer";
import { endWithin, startFrom } from "../../text/utf8.ts";
import { headOf } from "../../text/tokens.ts";
import { plural } from "../../text/plural.ts";
import { lineFeedsIn } from "../../text/lines.ts";
import type { OutputText } from "../../jobs/output_text.ts";
import { type CallResult, textResult } from "../../tool/result.ts";
import type { ArgValues } from "../../tool/tool.ts";
import { numberIn, type OutputServices, withOutput } from "./output_services.ts";

/** Most bytes of a token, on average. */
const bytesOfToken = 12;

/** Returns a part, and the call that continues. */
export function readOutput(reading: OutputServices, values: ArgValues): Promise<CallResult> {
  const fromByte = numberIn(values, "from_byte");
  return withOutput(reading, values, async (output, id) => {
    const asked = { id, maxTokens: reading.maxTokens };
    return textResult(
      fromByte === undefined
        ? await linesOf(output, values, asked)
        : await bytesOf(output, fromByte, asked),
    );
  });
}

interface AskedPart {
  readonly id: string;
  readonly maxTokens: number;
}

async function linesOf(
  output: OutputText,
  values: ArgValues,
  { id, maxTokens }: AskedPart,
): Promise<string> {
  const count = output.lines;
  const tail = numberIn(values, "tail");
  const lines = tail ?? numberIn(values, "lines")!;
  const first = tail === undefined
    ? numberIn(values, "from_line") ?? 1
    : Math.max(1, count - tail + 1);
  if (first > count) return `[the output has ${plural(count, "line")}]`;
  const around = await output.part({ line: first - 1, lines }, bytesOfToken * maxTokens);
  const text = around.isEnd ? around.text.replace(/\n$/, "") : around.text;
  const start = skipLines(text, 0, first - 1 - around.line);
  const end = skipLines(text, start, lines);
  const part = text.slice(start, end).replace(/\n$/, "");
  // What was read may end within a line
  const isOpen = !around.isEnd && end === text.length && !text.endsWith("\n");
  const fitting = headOf(part, maxTokens);
  const head = isOpen && fitting === part ? wholeLinesOf(part) : fitting;
  if (isOpen && head === "" || head.length < part.length && !head.endsWith("\n")) {
    // The first line is longer than the bound
    const before = Buffer.byteLength(text.slice(0, start));
    return await bytesOf(output, around.byte + before, { id, maxTokens });
  }
  const last = first + lineFeedsIn(head.replace(/\n$/, ""));
  const where = `lines ${first} to ${last} of ${count.toLocaleString("en-US")}`;
  const next = last < count ? `; next: output_read {"id": "${id}", "from_line": ${last + 1}}` : "";
  return `${head.replace(/\n$/, "")}\n[${where}${next}]`;
}

/** `text` up to its last line feed. */
function wholeLinesOf(text: string): string {
  return text.slice(0, text.lastIndexOf("\n") + 1);
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

async function bytesOf(
  output: OutputText,
  from: number,
  { id, maxTokens }: AskedPart,
): Promise<string> {
  if (from >= output.bytes) return `[the output has ${plural(output.bytes, "byte")}]`;
  const most = bytesOfToken * maxTokens;
  // The character that `from` is in may begin before it
  const around = await output.part({ byte: from }, most + 4);
  const bytes = Buffer.from(around.text);
  const inPart = startFrom(bytes, from - around.byte);
  // A token has at least one code unit, and rarely more than a dozen bytes
  const rest = bytes.subarray(inPart);
  const part = rest.subarray(0, endWithin(rest, most)).toString();
  const head = headOf(part, maxTokens);
  const start = around.byte + inPart;
  const end = start + Buffer.byteLength(head);
  const where = `bytes ${start} to ${end} of ${output.bytes.toLocaleString("en-US")}`;
  const next = end < output.bytes ? `; next: output_read {"id": "${id}", "from_byte": ${end}}` : "";
  return `${head}\n[${where}${next}]`;
}
