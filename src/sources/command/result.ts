/** What a run came to, as the answer to a call: its text, and an image where a tool says so. */

import { Buffer } from "node:buffer";
import type { Invocation, RunOutcome } from "../../exec/invocation.ts";
import type { CallResult } from "../../tool/result.ts";
import { type FormatOptions, formatOutcome, isFailure } from "./output.ts";
import type { CommandSource } from "./source.ts";

/** Bytes that an image may have: 1 MiB. */
export const maxImageBytes = 1024 * 1024;

/** Settings of {@linkcode resultOf}. */
export interface ResultOptions extends FormatOptions {
  readonly output: CommandSource["output"];
  /** Takes out what nobody is to see. */
  readonly mask: (text: string) => string;
}

/** The content of an answer, and whether it is an error. */
export function resultOf(
  outcome: RunOutcome,
  invocation: Invocation,
  { output, mask, ...options }: ResultOptions,
): CallResult {
  const isError = isFailure(outcome);
  const image = output === "image" ? imageOf(outcome) : undefined;
  if (image !== undefined) {
    const rest = { ...outcome, stdout: { text: "", bytes: 0 } };
    const text = mask(formatOutcome(rest, invocation, options));
    const words = text === "(no output)" ? [] : [{ type: "text", text } as const];
    return { content: [image, ...words], isError };
  }
  return {
    content: [{ type: "text", text: mask(formatOutcome(outcome, invocation, options)) }],
    isError,
  };
}

function imageOf({ stdout: { binary } }: RunOutcome) {
  const { mediaType, data } = binary ?? {};
  if (data === undefined || data.length > maxImageBytes) return undefined;
  if (mediaType === undefined || !/^image\/(?:png|jpeg|gif|webp)$/.test(mediaType)) {
    return undefined;
  }
  return {
    type: "image",
    data: Buffer.from(data).toString("base64"),
    mimeType: mediaType,
  } as const;
}
