/** Shortens the result of a call to the values that the tool's `select` names. */

import type { Waiter } from "../async/semaphore.ts";
import { type CallResult, type WholeOutput, withNotes } from "../tool/result.ts";
import type { ResultSelect } from "../tool/tool.ts";
import { runTask } from "../worker/run_task.ts";

interface Source {
  readonly text: string;
  readonly blocks: readonly number[];
}

export async function selectResult(
  result: CallResult,
  select: ResultSelect,
  waiter: Waiter,
): Promise<CallResult> {
  if (result.isError) return result;
  const source = sourceOf(result);
  if ("reason" in source) return withNotes(result, `[not selected: ${source.reason}]`);
  const { text, blocks: [first] } = source;
  const before = first === undefined ? undefined : result.wholeOutputs?.get(first);
  const task = { format: "json", text, masksUrlCredentials: false, select } as const;
  const shape = await runTask("shape", task, waiter);
  const reason = "timeoutReason" in shape ? shape.timeoutReason : shape.reason;
  if (reason !== undefined) return withNotes(result, `[not selected: ${reason}]`);
  const { selected = "", notes = [], json } = shape as Exclude<
    typeof shape,
    { timeoutReason: string }
  >;
  const replaced = replaceBlocks(result, source, selected, wholeOf(text, select, before));
  const { structured: _, structuredJson: __, ...rest } = result;
  const own = { ...rest, ...replaced, ...(json && { structuredJson: json }) };
  return withNotes(own, ...notes.map((note) => `[${note}]`));
}

/** Returns what values are selected from: structured content, else a text, best one that looks like JSON. */
function sourceOf(
  { content, structured, structuredJson, wholeOutputs }: CallResult,
): Source | { readonly reason: string } {
  const texts = [...content.entries()].filter(([, { type }]) => type === "text").map(([at]) => at);
  const json = structuredJson ?? (structured && JSON.stringify(structured));
  if (json !== undefined) return { text: unwrapKey(structured) ?? json, blocks: texts };
  const words = (at: number) => (content[at] as { readonly text: string }).text;
  const at = texts.find((each) => isLikeJson(words(each))) ?? texts[0];
  if (at === undefined) return { reason: "the result has no text" };
  const whole = wholeOutputs?.get(at);
  const text = whole === undefined ? words(at) : whole.read?.();
  if (text === undefined) return { reason: "the output is longer than what is kept of one" };
  return { text, blocks: [at] };
}

function unwrapKey(structured: CallResult["structured"]): string | undefined {
  const [only, ...others] = Object.values(structured ?? {});
  return typeof only === "string" && others.length === 0 && isLikeJson(only) ? only : undefined;
}

function isLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}

function replaceBlocks(
  { content, wholeOutputs = new Map() }: CallResult,
  { blocks }: Source,
  text: string,
  whole: WholeOutput | undefined,
): Pick<CallResult, "content" | "wholeOutputs"> {
  const parts = content.map((block, at) => ({ block, whole: wholeOutputs.get(at) }));
  for (const at of blocks) if (parts[at]!.whole !== whole) parts[at]!.whole?.discard();
  const own = { block: { type: "text", text } as const, whole };
  const others = parts.flatMap((part, at) => {
    return at === blocks[0] ? [own] : blocks.includes(at) ? [] : [part];
  });
  // A result with structured content may have no text; then the selection becomes its first block
  const all = blocks.length === 0 ? [own, ...parts] : others;
  const kept = all.flatMap((part, at) => part.whole ? [[at, part.whole] as const] : []);
  return {
    content: all.map(({ block }) => block),
    ...(kept.length > 0 && { wholeOutputs: new Map(kept) }),
  };
}

function wholeOf(
  text: string,
  select: ResultSelect,
  before: WholeOutput | undefined,
): WholeOutput | undefined {
  if (before?.isSource) return before;
  const { items: path = "$", columns } = select;
  if (path === "$" && columns === undefined) return undefined;
  return { isSource: true, path, lines: 0, bytes: 0, read: () => text, discard: () => {} };
}
