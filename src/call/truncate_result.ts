/**
 * A result within the tokens that one may cost: long texts keep their two ends, the whole is kept for
 * whoever wants to read on, and the text between says how.
 */

import { Buffer } from "node:buffer";
import { type KeptOutput, readTool, selectTool } from "../jobs/outputs.ts";
import { cutToTokens } from "../text/cut_tokens.ts";
import { lineFeedsIn } from "../text/lines.ts";
import { counted } from "../text/plural.ts";
import { costsNoMore, estimateTokens } from "../text/tokens.ts";
import { writtenCall } from "../text/written_call.ts";
import {
  type CallResult,
  type ContentBlock,
  type FullText,
  textIn,
  textOf,
  withText,
} from "../tool/result.ts";

/** Settings of {@linkcode truncateResult}. */
export interface TruncateOptions {
  /** 0: as many as there are. */
  readonly maxTokens: number;
  /** Keeps a text and gives its id; nothing where it is not kept. */
  readonly keep: (text: string | FullText) => StoredText | undefined;
  /** Whether clients were promised structured content, which only an error may lack. */
  readonly promisesStructure: boolean;
}

/** A text that can be asked for. */
export interface StoredText extends KeptOutput {
  /** Whether {@linkcode selectTool} may be called. */
  readonly isSelectable: boolean;
}

/** Characters that a token is no longer than, on average. */
const mostCharacters = 12;

/** Texts of one result that are cut, and kept, each by itself; of more of them, one text is made. */
const mostCutBlocks = 4;

/** `result` within the bound. What it was cut from is let go. */
export function truncateResult(result: CallResult, settings: TruncateOptions): CallResult {
  const { uncut, ...rest } = result;
  const held = new Set<string | FullText>();
  const keep = (text: string | FullText) => {
    const kept = settings.keep(text);
    if (kept !== undefined) held.add(text);
    return kept;
  };
  const options = { ...settings, keep };
  const room = roomFor(result.content, options.maxTokens);
  const content = room === undefined
    ? joined(result, options)
    : result.content.map((block, at): ContentBlock => {
      const text = textIn(block);
      if (text === undefined) return block;
      const whole = uncut?.get(at);
      const bounded = whole?.isSource
        ? `${boundText(text, undefined, room, options)}${sourceText(whole, options)}`
        : boundText(text, whole, room, options);
      return bounded === text ? block : withText(block, bounded);
    });
  for (const whole of uncut?.values() ?? []) if (!held.has(whole)) whole.discard();
  const isCut = content.some((block, at) => block !== result.content[at]);
  const cut = { ...rest, content: isCut ? content : result.content };
  return boundStructure(cut, isCut, options);
}

/**
 * Tokens that each text may cost, so that all of them fit: short ones leave their rest to others. Nothing
 * where more would be cut than can be told apart, or what cannot be cut by itself.
 */
function roomFor(content: readonly ContentBlock[], maxTokens: number): number | undefined {
  if (maxTokens === 0) return Infinity;
  const length = content.reduce((sum, block) => sum + (wordsIn(block)?.length ?? 0), 0);
  // No code unit costs more tokens than the bytes it is written in
  if (length * 3 <= maxTokens) return Infinity;
  const costs = content.flatMap((block) => {
    const text = wordsIn(block);
    if (text === undefined) return [];
    const cost = text.length <= maxTokens ? estimateTokens(text) : Infinity;
    return [{ cost, isCuttable: textIn(block) !== undefined }];
  }).toSorted((one, other) => one.cost - other.cost);
  let left = maxTokens;
  for (const [at, { cost }] of costs.entries()) {
    const share = left / (costs.length - at);
    if (cost > share) {
      const cut = costs.slice(at);
      return cut.length <= mostCutBlocks && cut.every((each) => each.isCuttable)
        ? share
        : undefined;
    }
    left -= cost;
  }
  return Infinity;
}

/** What an agent reads of `block`: its text, or where it says that something is. */
function wordsIn(block: ContentBlock): string | undefined {
  return textIn(block) ?? (block.type === "resource_link" ? JSON.stringify(block) : undefined);
}

/** All the words of a result as one text within the bound, and behind it what is not words. */
function joined({ content, uncut }: CallResult, options: TruncateOptions): readonly ContentBlock[] {
  const isWords = (block: ContentBlock) => wordsIn(block) !== undefined;
  const words = content.flatMap((block, at) => {
    if (!isWords(block)) return [];
    const whole = uncut?.get(at);
    const text = whole?.isSource ? undefined : whole?.read?.();
    return [text === undefined ? block : withText(block, text)];
  });
  const text = textOf({ content: words });
  const bounded = boundText(text, undefined, options.maxTokens, options);
  return [{ type: "text", text: bounded }, ...content.filter((block) => !isWords(block))];
}

function boundText(
  text: string,
  whole: FullText | undefined,
  room: number,
  { keep }: TruncateOptions,
): string {
  const cut = room === Infinity ? undefined : cutToTokens(text, room);
  if (cut === undefined) {
    const kept = whole?.read && keep(whole);
    return kept === undefined ? text : `${text}\n\n[${extentOf(kept)} of it: ${callText(kept)}]`;
  }
  const kept = keep(whole?.read === undefined ? text : whole);
  const { head, tail, lines } = cut;
  const more = whole ?? { lines: 0, bytes: 0 };
  const missing = lines === undefined
    ? counted(bytesIn(text) + more.bytes - bytesIn(head) - bytesIn(tail), "byte")
    : counted(countLines(text) + more.lines - lines.head - lines.tail, "line");
  const next = lines === undefined ? { from_byte: bytesIn(head) } : { from_line: lines.head + 1 };
  const how = kept === undefined ? "" : `: ${callText(kept, next)}`;
  const part = kept?.isCut ? `; ${extentOf(kept)} can be read` : "";
  return [head, `[… ${missing} omitted${how}${part}]`, tail]
    .filter((part) => part !== "").join("\n");
}

/** What says that a text was selected from another, and how to read that one. */
function sourceText(source: FullText, { keep }: TruncateOptions): string {
  const kept = keep(source);
  if (kept === undefined) return "";
  const { path } = source;
  const how = path === undefined || !kept.isSelectable
    ? callText(kept)
    : callText(kept, { path }, selectTool);
  return `\n\n[selected from ${kept.isCut ? "more than " : ""}${
    counted(kept.bytes, "byte")
  }: ${how}]`;
}

/** The call that reads on, as an agent writes it. */
function callText(
  { id }: StoredText,
  next: Readonly<Record<string, number | string>> = {},
  tool = readTool,
): string {
  return writtenCall(tool, { id, ...next });
}

/** How much of a text can be read. */
function extentOf({ isCut, bytes }: StoredText): string {
  return isCut ? `the first ${counted(bytes, "byte")}` : "all";
}

function bytesIn(text: string): number {
  return Buffer.byteLength(text);
}

function countLines(text: string): number {
  return lineFeedsIn(text) + (text.endsWith("\n") ? 0 : 1);
}

function boundStructure(
  { structuredJson, ...result }: CallResult,
  isCut: boolean,
  options: TruncateOptions,
): CallResult {
  const { structured, ...rest } = result;
  if (structuredJson === undefined && (structured === undefined || options.maxTokens === 0)) {
    return result;
  }
  const text = structuredJson ?? JSON.stringify(structured);
  if (fits(text, options.maxTokens)) {
    return structuredJson === undefined ? result : { ...rest, structured: JSON.parse(text) };
  }
  // Where the text was cut, it is most likely the same, and kept
  const kept = isCut ? undefined : options.keep(text);
  const how = kept === undefined
    ? ""
    : kept.isSelectable
    ? `: ${callText(kept, { path: "$" }, selectTool)}`
    : `: ${callText(kept)}`;
  const note = `[structured result of ${counted(text.length, "character")} omitted${how}]`;
  const done = rest.isError || !options.promisesStructure
    ? ""
    : "\n[the call itself has succeeded: do not repeat it for this]";
  return {
    ...rest,
    content: [...rest.content, { type: "text", text: note + done }],
    isError: rest.isError || options.promisesStructure,
  };
}

/** Whether `text` costs no more than `maxTokens`; of what is far too long, that is not counted. */
function fits(text: string, maxTokens: number): boolean {
  if (maxTokens === 0 || costsNoMore(text, maxTokens)) return true;
  return text.length <= maxTokens * mostCharacters && estimateTokens(text, maxTokens) <= maxTokens;
}
