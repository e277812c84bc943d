/** Shared by the tools for stored outputs: finds the output, and bounds the result. */

import type { Waiter } from "../../async/semaphore.ts";
import { quote } from "../../text/excerpt.ts";
import { estimateTokens } from "../../text/tokens.ts";
import { writtenArguments, writtenCall } from "../../text/written_call.ts";
import type { OutputText } from "../../jobs/output_text.ts";
import { unreachable } from "./unreachable.ts";
import { type CallResult, textResult } from "../../tool/result.ts";
import type { ArgValues } from "../../tool/tool.ts";

/** The services for one call about stored outputs. */
export interface OutputServices extends Waiter {
  /** An output; nothing if the id is unknown, or belongs to another client. @throws {StateError} */
  open(id: string): OutputText | undefined | Promise<OutputText | undefined>;
  /** Most tokens of the result. */
  readonly maxTokens: number;
}

/** Calls `use` with the output that `values` name. */
export async function withOutput(
  { open }: OutputServices,
  values: ArgValues,
  use: (output: OutputText, id: string) => CallResult | Promise<CallResult>,
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

export function numberIn(values: ArgValues, name: string): number | undefined {
  const value = values.get(name);
  return typeof value === "number" ? value : undefined;
}

/** Most tokens of a value that is repeated in the text of the next call. */
const tokensSaid = 40;

/** Returns the text of the call that continues at `position`; a long value of `asked` is not repeated. */
export function nextCall(
  tool: string,
  asked: Readonly<Record<string, string>>,
  position: Readonly<Record<string, number>>,
): string {
  if (Object.values(asked).some((value) => estimateTokens(JSON.stringify(value)) > tokensSaid)) {
    return `; next: the same with ${writtenArguments(position)}`;
  }
  return `; next: ${writtenCall(tool, { ...asked, ...position })}`;
}
