/** The result of a run: its text, or an image if the tool says so. */

import { Buffer } from "node:buffer";
import type { Invocation, RunOutcome } from "../../exec/invocation.ts";
import type { CallResult } from "../../tool/result.ts";
import { type FormatOptions, formatOutcome, isFailure } from "./output.ts";
import type { CommandSource } from "./source.ts";

/** Most bytes of an image: 1 MiB. */
export const maxImageBytes = 1024 * 1024;

export interface ResultOptions extends FormatOptions {
  readonly output: CommandSource["output"];
  /** Removes secrets. */
  readonly mask: (text: string) => string;
}

export function resultOf(
  outcome: RunOutcome,
  invocation: Invocation,
  { output, mask, ...options }: ResultOptions,
): CallResult {
  const isError = isFailure(outcome, invocation);
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
