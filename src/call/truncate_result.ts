/** Cuts a result to a number of tokens: the beginning and end of long texts stay, and the whole is stored. */

import { Buffer } from "node:buffer";
import type { Waiter } from "../async/semaphore.ts";
import type { StoredOutputInfo } from "../jobs/stored_output.ts";
import { readTool, searchTool, selectTool } from "../jobs/outputs.ts";
import { stripControlSequences } from "../text/control_sequences.ts";
import { costsNoMore, cutToTokens, estimateTokens } from "../text/tokens.ts";
import { countLineFeeds } from "../text/lines.ts";
import { plural } from "../text/plural.ts";
import { formatCall } from "../text/shell_word.ts";
import {
  blockText,
  type CallResult,
  type ContentBlock,
  textOf,
  type WholeOutput,
  withNotes,
  withText,
} from "../tool/result.ts";

export interface TruncateOptions {
  readonly maxTokens: number;
  readonly keep: (
    text: string | WholeOutput,
  ) => SelectableOutput | undefined | Promise<SelectableOutput | undefined>;
  /** The output schema, if the client checks results by it: then structured content must fit the schema after a cut. */
  readonly schema?: object | undefined;
  readonly waiter: Waiter;
}

export interface SelectableOutput extends StoredOutputInfo {
  readonly isSelectable: boolean;
}

const maxCharacters = 12;

const maxCutBlocks = 4;

export function truncateResult(
  result: CallResult,
  settings: TruncateOptions,
): CallResult | Promise<CallResult> {
  const share = shareFor(result.content, settings.maxTokens);
  const { wholeOutputs, ...shown } = result;
  const isShown = wholeOutputs?.values().every((whole) => whole.isShown) ?? true;
  const isPlain = (result.structured ?? result.structuredJson) === undefined;
  return isPlain && isShown && share === Infinity ? shown : truncate(result, share, settings);
}

async function truncate(result: CallResult, share: number | undefined, settings: TruncateOptions) {
  const { wholeOutputs, ...rest } = result;
  if (share === Infinity && wholeOutputs === undefined) {
    return await boundStructure(rest, false, settings);
  }
  const stored = new Set<string | WholeOutput>();
  const keep = async (text: string | WholeOutput) => {
    const kept = await settings.keep(text);
    if (kept !== undefined) stored.add(text);
    return kept;
  };
  const options = { ...settings, keep };
  const content = share === undefined
    ? await joinTexts(result, options)
    : await boundEach(result, share, options);
  for (const whole of wholeOutputs?.values() ?? []) if (!stored.has(whole)) whole.discard();
  const isCut = content.some((block, at) => block !== result.content[at]);
  const cut = { ...rest, content: isCut ? content : result.content };
  return await boundStructure(cut, isCut, options);
}

/** Cuts texts one after the other and not at once, so that stored outputs get numbers in their order. */
async function boundEach(
  { content, wholeOutputs }: CallResult,
  share: number,
  options: TruncateOptions,
): Promise<readonly ContentBlock[]> {
  const blocks: ContentBlock[] = [];
  for (const [at, block] of content.entries()) {
    const text = blockText(block);
    if (text === undefined) {
      blocks.push(block);
      continue;
    }
    const whole = wholeOutputs?.get(at);
    const bounded = whole?.isSource && (whole.extent?.next ?? 1) === 1
      ? await boundText(text, undefined, share, options) + noteOf(whole, await options.keep(whole))
      : await boundText(text, whole, share, options);
    blocks.push(bounded === text ? block : withText(block, bounded));
  }
  return blocks;
}

/** Returns the tokens that each text may have; `undefined` if too many would be cut, so that they are joined. */
function shareFor(content: readonly ContentBlock[], maxTokens: number): number | undefined {
  if (maxTokens === 0) return Infinity;
  const length = content.reduce((sum, block) => sum + (shownText(block)?.length ?? 0), 0);
  // A UTF-16 code unit has at most 3 bytes in UTF-8, and a byte costs at most one token, so all texts fit
  if (length * 3 <= maxTokens) return Infinity;
  const costs = content.flatMap((block) => {
    const text = shownText(block);
    if (text === undefined) return [];
    const cost = text.length <= maxTokens ? estimateTokens(text) : Infinity;
    return [{ cost, isCuttable: blockText(block) !== undefined }];
  }).toSorted((one, other) => one.cost - other.cost);
  let rest = maxTokens;
  for (const [at, { cost }] of costs.entries()) {
    const share = rest / (costs.length - at);
    if (cost > share) {
      const cut = costs.slice(at);
      return cut.length <= maxCutBlocks && cut.every((each) => each.isCuttable) ? share : undefined;
    }
    rest -= cost;
  }
  return Infinity;
}

function shownText(block: ContentBlock): string | undefined {
  return blockText(block) ?? (block.type === "resource_link" ? JSON.stringify(block) : undefined);
}

async function joinTexts(
  { content, wholeOutputs }: CallResult,
  options: TruncateOptions,
): Promise<readonly ContentBlock[]> {
  const isWords = (block: ContentBlock) => shownText(block) !== undefined;
  const shown: ContentBlock[] = [];
  const exact: ContentBlock[] = [];
  for (const [at, block] of content.entries()) {
    if (!isWords(block)) continue;
    const whole = wholeOutputs?.get(at);
    const text = whole?.isSource ? undefined : whole?.read?.();
    exact.push(text === undefined ? block : withText(block, text));
    const isShown = text === undefined || whole?.isShown;
    shown.push(isShown ? block : withText(block, stripControlSequences(text)));
  }
  const whole = {
    isShown: true,
    lines: 0,
    bytes: 0,
    read: () => textOf({ content: exact }),
    discard: () => {},
  };
  const bounded = await boundText(textOf({ content: shown }), whole, options.maxTokens, options);
  return [{ type: "text", text: bounded }, ...content.filter((block) => !isWords(block))];
}

async function boundText(
  text: string,
  whole: WholeOutput | undefined,
  maxTokens: number,
  { keep }: TruncateOptions,
): Promise<string> {
  const cut = maxTokens === Infinity ? undefined : cutToTokens(text, maxTokens);
  if (cut === undefined) {
    const kept = whole?.read && !whole.isShown ? await keep(whole) : undefined;
    return whole === undefined ? text : text + noteOf(whole, kept);
  }
  const kept = await keep(whole?.read === undefined ? text : whole);
  const { head, tail, lines } = cut;
  const more = whole ?? { lines: 0, bytes: 0 };
  const bytes = plural(bytesIn(text) + more.bytes - bytesIn(head) - bytesIn(tail), "byte");
  const all = countLineFeeds(text) + (text.endsWith("\n") ? 0 : 1) + more.lines;
  const missing = lines === undefined
    ? bytes
    : `${plural(all - lines.head - lines.tail, "line")}, ${bytes}`;
  const next = lines === undefined ? { from_byte: bytesIn(head) } : { from_line: lines.head + 1 };
  const search = kept?.isSelectable && lines !== undefined ? `; ${searchTool} finds lines` : "";
  const how = kept === undefined ? "" : `: ${callText(kept, next)}${search}`;
  const part = kept?.isCut ? `; ${extentOf(kept)} can be read` : "";
  const note = whole?.extent === undefined ? "" : noteOf(whole, kept);
  return [head, `[… ${missing} omitted${how}${part}]`, tail]
    .filter((part) => part !== "").join("\n") + note;
}

function noteOf({ extent, isSource, path }: WholeOutput, kept: SelectableOutput | undefined) {
  if (extent !== undefined) {
    const { words, next } = extent;
    const rest = kept &&
      `; ${next === 1 ? "all" : "the rest"}: ${callText(kept, { from_line: next })}`;
    return `\n\n[${words}${rest ?? ""}]`;
  }
  if (kept === undefined) return "";
  if (!isSource) return `\n\n[${extentOf(kept)} of it: ${callText(kept)}]`;
  const how = selectionText(kept, path);
  return `\n\n[selected from ${kept.isCut ? "more than " : ""}${
    plural(kept.bytes, "byte")
  }: ${how}]`;
}

function callText(
  { id }: SelectableOutput,
  next: Readonly<Record<string, number | string>> = {},
  tool = readTool,
): string {
  return formatCall(tool, { id, ...next });
}

function selectionText(kept: SelectableOutput, path: string | undefined): string {
  const isSelected = path !== undefined && kept.isSelectable;
  return isSelected ? callText(kept, { path }, selectTool) : callText(kept);
}

function extentOf({ isCut, bytes }: SelectableOutput): string {
  return isCut ? `the first ${plural(bytes, "byte")}` : "all";
}

function bytesIn(text: string): number {
  return Buffer.byteLength(text);
}

async function boundStructure(
  { structuredJson, ...result }: CallResult,
  isCut: boolean,
  options: TruncateOptions,
): Promise<CallResult> {
  const { structured, ...rest } = result;
  if (structuredJson === undefined && (structured === undefined || options.maxTokens === 0)) {
    return result;
  }
  const text = structuredJson ?? JSON.stringify(structured);
  if (fits(text, options.maxTokens)) {
    return structuredJson === undefined ? result : { ...rest, structured: JSON.parse(text) };
  }
  // If a text was cut, the structured content is not stored: it most likely repeats the text, which has been stored
  const kept = isCut ? undefined : await options.keep(text);
  const how = kept === undefined ? "" : `: ${selectionText(kept, "$")}`;
  const size = `structured result of ${plural(text.length, "character")}`;
  const omitted = `[${size} omitted${how}]`;
  if (rest.isError || options.schema === undefined) return withNotes(rest, omitted);
  // A client that checks results by a schema accepts no result without structured content, so it is shortened
  const short = await shortenValues(text, options);
  if (short !== undefined) {
    const early = `[${size}: long texts and lists in it end early${how}]`;
    return { ...withNotes(rest, early), structured: short };
  }
  const done = "[the call itself has succeeded: do not repeat it for this]";
  return { ...withNotes(rest, `${omitted}\n${done}`), isError: true };
}

const asJson = { format: "json", masksUrlCredentials: false } as const;

async function shortenValues(json: string, { schema = {}, waiter, maxTokens }: TruncateOptions) {
  const values = JSON.parse(json);
  const { runTask } = await import("../worker/run_task.ts");
  for (let most = 2 ** 16; most >= 16; most /= 2) {
    const text = JSON.stringify(values, (_, value) => {
      if (Array.isArray(value)) return value.slice(0, most / 16);
      if (typeof value !== "string" || value.length <= most) return value;
      const missing = plural(value.length - most, "character");
      return `${value.slice(0, most).toWellFormed()}[… ${missing} omitted]`;
    });
    if (!fits(text, maxTokens)) continue;
    const task = { text, schema: { ...schema, $schema: undefined }, ...asJson };
    const shape = await runTask("shape", task, waiter);
    return "json" in shape ? JSON.parse(shape.json!) : undefined;
  }
  return undefined;
}

function fits(text: string, maxTokens: number): boolean {
  if (maxTokens === 0 || costsNoMore(text, maxTokens)) return true;
  return text.length <= maxTokens * maxCharacters && estimateTokens(text, maxTokens) <= maxTokens;
}
