/** Converts the result of a call to the value that a script gets: a whole text, or values of a JSONPath. */

import type { Waiter } from "../../async/semaphore.ts";
import { type CallResult, type ContentBlock, textOf, withText } from "../../tool/result.ts";
import { runTask } from "../../worker/run_task.ts";
import type { ScriptLimits } from "./limits.ts";

/** What a script gets for a call. `text` is exactly what a program printed, or an error. */
export interface CallValue {
  readonly isError: boolean;
  readonly text: string;
  readonly data?: string | undefined;
  /** True if bytes of the output are no UTF-8, so that `text` has U+FFFD in their place. @default false */
  readonly isLossy?: boolean;
}

const maxSelected = 100_000;

/** Reads the whole output of `result`, and deletes the stored output, which only the script needs. */
export async function callValue(
  result: CallResult,
  select: string | undefined,
  { limits, ...waiter }: Waiter & { readonly limits: ScriptLimits },
): Promise<CallValue> {
  try {
    if (result.isError) return errorValue(textOf(result).slice(0, limits.logLength).toWellFormed());
    const text = wholeText(result);
    if (text === undefined) return errorValue("The output is longer than what is kept of one");
    const wholes = [...result.wholeOutputs?.values() ?? []];
    if (wholes.some(({ isBinary }) => isBinary)) {
      return errorValue(`The output is binary, and a script gets texts: ${text}`);
    }
    const data = result.structuredJson ?? (result.structured && JSON.stringify(result.structured));
    if (select !== undefined) return await selectValue(data ?? text, select, limits, waiter);
    const length = text.length + (data?.length ?? 0);
    if (length > limits.valueLength) return tooLong(length, limits);
    const isLossy = wholes.some((whole) => whole.isLossy?.());
    return { isError: false, text, data, ...(isLossy ? { isLossy } : {}) };
  } finally {
    for (const whole of result.wholeOutputs?.values() ?? []) whole.discard();
  }
}

/** Returns the whole text of a result; `undefined` if a part of it is lost, as a script would not notice the loss. */
function wholeText({ content, wholeOutputs }: CallResult): string | undefined {
  const blocks: ContentBlock[] = [];
  for (const [at, block] of content.entries()) {
    const whole = wholeOutputs?.get(at);
    // If the call asked for a part of the output, this part is all that the script gets
    if (whole === undefined || whole.isSource) blocks.push(block);
    else if (whole.read === undefined || whole.stored?.isCut) return undefined;
    else blocks.push(withText(block, whole.read()));
  }
  return textOf({ content: blocks });
}

async function selectValue(text: string, path: string, limits: ScriptLimits, waiter: Waiter) {
  const { valueLength: characters } = limits;
  const input = { text, path, from: 1, most: maxSelected, characters };
  const found = await runTask("path", input, waiter);
  if ("noPath" in found) return errorValue(`'select' cannot be followed: ${found.noPath}`);
  if ("noJson" in found) return errorValue(`'select' needs JSON: ${found.noJson}`);
  if ("timeoutReason" in found) {
    return errorValue(`'select' was not followed: ${found.timeoutReason}`);
  }
  const rows = found.rows.join(",");
  if (found.hasMore || rows.length * 2 > limits.valueLength) return tooLong(text.length, limits);
  return { isError: false, text: found.rows.join("\n"), data: `[${rows}]` };
}

function tooLong(length: number, { valueLength }: ScriptLimits): CallValue {
  return errorValue(
    `The result has ${length} characters, and ${valueLength} at most enter a script: ` +
      "ask for less, or name a part with {select: JSONPath}",
  );
}

export function errorValue(text: string): CallValue {
  return { isError: true, text };
}
