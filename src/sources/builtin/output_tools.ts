/** Implements `output_read`, `output_search` and `output_json`, which return bounded parts of stored outputs. */

import { Buffer } from "node:buffer";
import { countLineFeeds, endWithin, startFrom } from "../../text/lines.ts";
import { plural } from "../../text/plural.ts";
import { type CallResult, textResult } from "../../tool/result.ts";
import type { ArgValues } from "../../tool/tool.ts";
import { runTask } from "../../worker/run_task.ts";
import type { MatchingLines } from "../../files/matching_lines.ts";
import { excerpt, quote } from "../../text/excerpt.ts";
import type { Waiter } from "../../async/semaphore.ts";
import { estimateTokens, headOf } from "../../text/tokens.ts";
import { formatArguments, formatCall } from "../../text/shell_word.ts";
import { StateError } from "../../state/store.ts";

/** A token has at most this many bytes on average, so that a long text can be cut before its tokens are counted. */
const maxTokenLength = 12;

export function readOutput(reading: OutputServices, values: ArgValues): Promise<CallResult> {
  const fromByte = numberOf(values, "from_byte");
  return withOutput(reading, values, (output, id) => {
    const asked = { id, maxTokens: reading.maxTokens };
    return textResult(
      fromByte === undefined ? linesOf(output, values, asked) : bytesOf(output, fromByte, asked),
    );
  });
}

interface AskedPart {
  readonly id: string;
  readonly maxTokens: number;
}

function linesOf(output: string, values: ArgValues, { id, maxTokens }: AskedPart): string {
  // A line feed at the end of the output begins no further line, and does not count
  const text = output.replace(/\n$/, "");
  const count = countLineFeeds(text) + 1;
  const tail = numberOf(values, "tail");
  const lines = tail ?? numberOf(values, "lines")!;
  const first = tail === undefined
    ? numberOf(values, "from_line") ?? 1
    : Math.max(1, count - tail + 1);
  if (first > count) return `[the output has ${plural(count, "line")}]`;
  const start = skipLines(text, 0, first - 1);
  const end = skipLines(text, start, lines);
  const part = text.slice(start, end).replace(/\n$/, "");
  const head = headOf(part, maxTokens);
  if (head.length < part.length && !head.endsWith("\n")) {
    // If the first line alone is longer than a result may be, the result is a part of it, counted in bytes
    return bytesOf(output, Buffer.byteLength(text.slice(0, start)), { id, maxTokens });
  }
  const last = first + countLineFeeds(head.replace(/\n$/, ""));
  const where = `lines ${first} to ${last} of ${count.toLocaleString("en-US")}`;
  const next = last < count ? `; next: output_read {"id": "${id}", "from_line": ${last + 1}}` : "";
  return `${head.replace(/\n$/, "")}\n[${where}${next}]`;
}

function skipLines(text: string, start: number, count: number): number {
  let at = start;
  for (let line = 0; line < count; line++) {
    const found = text.indexOf("\n", at);
    if (found === -1) return text.length;
    at = found + 1;
  }
  return at;
}

function bytesOf(output: string, from: number, { id, maxTokens }: AskedPart): string {
  const bytes = Buffer.from(output);
  if (from >= bytes.length) return `[the output has ${plural(bytes.length, "byte")}]`;
  const start = startFrom(bytes, from);
  // Counting tokens is slow, so the part is first cut to a length that surely has enough of them
  const rest = bytes.subarray(start);
  const part = rest.subarray(0, endWithin(rest, maxTokenLength * maxTokens)).toString();
  const head = headOf(part, maxTokens);
  const end = start + Buffer.byteLength(head);
  const where = `bytes ${start} to ${end} of ${bytes.length.toLocaleString("en-US")}`;
  const next = end < bytes.length ? `; next: output_read {"id": "${id}", "from_byte": ${end}}` : "";
  return `${head}\n[${where}${next}]`;
}

/** Returns matching lines. The pattern comes from an agent, so RE2 is used: it takes linear time for any pattern. */
export function searchOutput(reading: OutputServices, values: ArgValues): Promise<CallResult> {
  return withOutput(reading, values, async (output, id) => {
    const pattern = String(values.get("pattern"));
    const whole = output.replace(/\n$/, "");
    const found = await runTask("lines", {
      text: whole,
      pattern,
      ignoreCase: values.get("ignore_case") === true,
      from: numberOf(values, "from_line")!,
      most: numberOf(values, "limit")!,
      context: numberOf(values, "context")!,
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
  const count = head.length === all.length
    ? rows.length
    : head.split("\n").filter((line) => line !== "" && line !== "--").length;
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

export function selectOfOutput(reading: OutputServices, values: ArgValues): Promise<CallResult> {
  return withOutput(reading, values, async (output, id) => {
    const path = String(values.get("path"));
    const from = numberOf(values, "from")!;
    const found = await runTask("path", {
      // A stored output has stdout first; stderr and the exit code follow and are cut off, since they are no JSON
      text: output.replace(/\n\n\[(?:exit code: -?\d+|signal: \w+)\]$/, "")
        .split("\n\n[stderr]\n", 1)[0]!,
      path,
      from,
      most: numberOf(values, "limit")!,
      characters: reading.maxTokens * maxTokenLength,
    }, reading);
    if ("noPath" in found) return wrongPath(path, found.noPath);
    if ("timeoutReason" in found) return wrongPath(path, found.timeoutReason);
    if ("noJson" in found) {
      return textResult(`Output ${quote(id)} is not JSON: ${found.noJson}`, true);
    }
    const { rows, hasMore, isBehind } = found;
    if (rows.length === 0) return textResult(`[no value${isBehind ? ` from ${from} on` : ""}]`);
    const all = `${rows.join("\n")}\n`;
    const head = headOf(all, reading.maxTokens);
    if (head.length < all.length && !head.endsWith("\n")) {
      const note = `the value ${from} was cut: select less of it, or read it with output_read`;
      return textResult(`${head}\n[${note}]`);
    }
    const rowCount = head.length === all.length ? rows.length : head.split("\n").length - 1;
    const next = hasMore || rowCount < rows.length
      ? nextCall("output_json", { id, path }, { from: from + rowCount })
      : "";
    return textResult(`${head.replace(/\n$/, "")}\n[${plural(rowCount, "value")}${next}]`);
  });
}

function wrongPath(path: string, reason: string): CallResult {
  return textResult(`Argument 'path': ${quote(path)} cannot be followed: ${reason}`, true);
}

export interface OutputServices extends Waiter {
  /** Returns an output of this client; `undefined` for an unknown id. @throws {StateError} if the store is out of reach */
  open(id: string): string | undefined | Promise<string | undefined>;
  readonly maxTokens: number;
}

async function withOutput(
  { open }: OutputServices,
  values: ArgValues,
  use: (output: string, id: string) => CallResult | Promise<CallResult>,
): Promise<CallResult> {
  const id = String(values.get("id"));
  try {
    const output = await open(id);
    if (output !== undefined) return await use(output, id);
  } catch (error) {
    return unreachable(`Output ${quote(id)}`, error);
  }
  const reason = `Output ${quote(id)} not found: it was never stored, or was evicted`;
  return textResult(`${reason}\nCall the tool again to get a new output`, true);
}

export function numberOf(values: ArgValues, name: string): number | undefined {
  const value = values.get(name);
  return typeof value === "number" ? value : undefined;
}

/** An argument with more tokens than this is not repeated in the hint how to read on. */
const tokensSaid = 40;

function nextCall(
  tool: string,
  asked: Readonly<Record<string, string>>,
  position: Readonly<Record<string, number>>,
): string {
  if (Object.values(asked).some((value) => estimateTokens(JSON.stringify(value)) > tokensSaid)) {
    return `; next: the same with ${formatArguments(position)}`;
  }
  return `; next: ${formatCall(tool, { ...asked, ...position })}`;
}

/** Returns the result of a call that cannot read the store. @throws `error` if it is not a StateError */
export function unreachable(what: string, error: unknown): CallResult {
  if (!(error instanceof StateError)) throw error;
  const remedy = error.failure === "unreadable"
    ? "Tell the operator: all instances must have the same signing key and version"
    : "This says nothing about it. Ask again later";
  const text = `${what} cannot be read now: ${error.message}\n${remedy}`;
  return { ...textResult(text, true), isUnavailable: true };
}
