/** The answer about something that is in the store of all instances, when that cannot be asked. */

import { StateError } from "../../state/store.ts";
import { type CallResult, textResult } from "../../tool/result.ts";

/** Says that `what` exists perhaps, and why that is not known. @throws `error` if the store is not its cause */
export function unreachable(what: string, error: unknown): CallResult {
  if (!(error instanceof StateError)) throw error;
  const remedy = error.failure === "unreadable"
    ? "Tell the operator: all instances must have the same signing key and version"
    : "This says nothing about it. Ask again later";
  const text = `${what} cannot be read now: ${error.message}\n${remedy}`;
  return { ...textResult(text, true), isUnavailable: true };
}
