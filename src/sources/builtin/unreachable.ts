/** The answer about something that is in the store of all instances, when that cannot be asked. */

import { StateError } from "../../state/error.ts";
import { type CallResult, textResult } from "../../tool/result.ts";

/** Says that `what` exists perhaps, and why that is not known. @throws every `error` that is none of the store */
export function unreachable(what: string, error: unknown): CallResult {
  if (!(error instanceof StateError)) throw error;
  const text =
    `${what} cannot be read now: ${error.message}\nThis says nothing about it. Ask again later`;
  return { ...textResult(text, true), isUnavailable: true };
}
