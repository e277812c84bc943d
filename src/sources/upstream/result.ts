/** Converts the answer of a server to the result of a call, and truncates it to the bound on output. */

import { Buffer } from "node:buffer";
import { BoundedBytes } from "../../exec/capture.ts";
import { countLineFeeds } from "../../text/lines.ts";
import { blockText, type CallResult, type ContentBlock, withText } from "../../tool/result.ts";
import { type ServedLink, withServedLinks } from "./addresses.ts";
import { plainTexts } from "./_clean_texts.ts";
import { thousands } from "../../text/plural.ts";

export interface ServerAnswer {
  readonly content?: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export interface AnswerOptions {
  /** A truncated text keeps this many bytes of its start, and as many of its end. */
  readonly keepBytes: number;
  readonly mayKeep: boolean;
  readonly served: ServedLink;
}

export function resultOfServer(
  given: ServerAnswer,
  { keepBytes, mayKeep, served }: AnswerOptions,
): CallResult {
  const linked = withServedLinks(given, served);
  const answer = plainTexts(linked);
  const result = cutResult(answer, keepBytes);
  const whole = linked.content ?? [];
  const wholeOutputs = new Map(whole.flatMap((block, at) => {
    const text = blockText(block);
    const shown = blockText(result.content[at]!);
    if (text === undefined || shown === undefined || shown === text) return [];
    const isShown = shown === blockText(answer.content![at]!);
    return [
      [at, {
        isShown,
        lines: isShown ? 0 : countLineFeeds(text) - countLineFeeds(shown),
        bytes: isShown ? 0 : Buffer.byteLength(text) - Buffer.byteLength(shown),
        ...(mayKeep ? { read: () => text } : {}),
        discard: () => {},
      }] as const,
    ];
  }));
  const meta = metaOf(answer, keepBytes);
  return {
    ...result,
    ...(wholeOutputs.size === 0 ? {} : { wholeOutputs }),
    ...(meta === undefined ? {} : { meta }),
  };
}

/** Matches keys of `_meta` that MCP reserves: they are about climax's connection, so clients do not get them. */
const reserved = /^(?=[^/]*\/)(?:[^/.]*\.)*?(?:modelcontextprotocol|mcp)[./]/;

function metaOf({ _meta }: ServerAnswer, keepBytes: number): CallResult["meta"] {
  const own = Object.entries(_meta ?? {}).filter(([key]) => !reserved.test(key));
  if (own.length === 0) return undefined;
  const meta = Object.fromEntries(own);
  return JSON.stringify(meta).length <= 2 * keepBytes ? meta : undefined;
}

function cutResult(answer: ServerAnswer, keepBytes: number): CallResult {
  const blocks = answer.content ?? [];
  const content = blocks.map((block) => {
    const text = blockText(block);
    return text === undefined ? block : withText(block, cut(text, keepBytes));
  });
  const { structuredContent, isError = false } = answer;
  const record = { ending: isError ? "error" : "answered" };
  if (structuredContent === undefined) return { content, isError, record };

  const { length } = new TextEncoder().encode(JSON.stringify(structuredContent));
  if (length <= 2 * keepBytes) {
    const structured = structuredContent as NonNullable<CallResult["structured"]>;
    return { content, structured, isError, record };
  }
  const text = `[structured content of ${thousands(length)} bytes left out]`;
  return { content: [...content, { type: "text", text }], isError, record };
}

function cut(text: string, keepBytes: number): string {
  if (text.length * 3 <= 2 * keepBytes) return text;
  const kept = new BoundedBytes(keepBytes);
  kept.append(new TextEncoder().encode(text));
  return kept.text();
}
