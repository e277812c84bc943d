/** The result of a call, the same for each kind of tool. */

import { isObject } from "../text/own_property.ts";
import { plural } from "../text/plural.ts";

/** One part of a result, with names as in MCP 2026-07-28, content blocks. */
export type ContentBlock =
  | { readonly type: "text"; readonly text: string; readonly [key: string]: unknown }
  | {
    readonly type: "image" | "audio";
    /** The bytes in base64. */
    readonly data: string;
    readonly mimeType: string;
    readonly [key: string]: unknown;
  }
  | {
    readonly type: "resource_link";
    readonly uri: string;
    readonly name: string;
    readonly [key: string]: unknown;
  }
  | {
    readonly type: "resource";
    readonly resource: {
      readonly uri: string;
      readonly mimeType?: string;
      readonly text?: string;
      /** The bytes in base64. */
      readonly blob?: string;
    };
    readonly [key: string]: unknown;
  };

export interface CallResult {
  readonly content: readonly ContentBlock[];
  readonly structured?: Readonly<Record<string, unknown>>;
  /** The structured content as JSON, for truncating results: it may be too long to parse. */
  readonly structuredJson?: string;
  /** True for a refusal and for any failure. */
  readonly isError: boolean;
  /** The record for the logs; absent when nothing was run. */
  readonly record?: RunRecord;
  /** Data for the program of a client, which no model sees. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** The parts of a prompt beside its messages, which are `content`. */
  readonly prompt?: PromptPart;
  /** True for a result to the program of a client: it is never truncated, and has a separate bound. */
  readonly isWhole?: boolean;
  /** True when the answer is unknown at present: the requested thing may exist. @default false */
  readonly isUnavailable?: boolean;
  /** The rule that refused the call; absent if it was not refused. */
  readonly refusedBy?: string;
  /** The job that the result describes, when it is not the result of the call. */
  readonly job?: JobView;
  /** The whole outputs of blocks that lack parts or bytes of them, by their index in `content`. */
  readonly wholeOutputs?: ReadonlyMap<number, WholeOutput>;
}

/** The parts of a prompt in addition to the contents of its messages. */
interface PromptPart {
  readonly description?: string;
  readonly roles: readonly ("user" | "assistant")[];
}

/** The whole output of which a block has only a part. The receiver of the result stores or discards it. */
export interface WholeOutput {
  /** True when the part shows the whole output, which is stored only if the part is truncated. @default false */
  readonly isShown?: boolean;
  /** Returns whether the output has bytes that are no UTF-8, so that it cannot be restored. */
  readonly isLossy?: () => boolean;
  /** True when the output is not text. @default false */
  readonly isBinary?: boolean;
  /** True when the part was selected from the text, and is not a substring of it. @default false */
  readonly isSource?: boolean;
  /** The extent of the part in words, and the number of the first missing line, counted from 1. */
  readonly extent?: { readonly words: string; readonly next: number };
  /** The JSONPath that selected the block. */
  readonly path?: string;
  /** The output has this many lines in addition to those of the block. */
  readonly lines: number;
  /** The output has this many bytes in addition to those of the block. */
  readonly bytes: number;
  /** Present if the output is already stored. */
  readonly stored?: { readonly bytes: number; readonly isCut: boolean };
  /** Reads the stored text; absent when it is gone. */
  readonly read?: () => string;
  discard(): void;
}

/** The state of a background job, as a client sees it. */
export interface JobView {
  readonly id: string;
  readonly tool: string;
  /** `lost`: its instance has given no sign of life since {@linkcode JobView.heardMs}. */
  readonly state: "running" | "finished" | "cancelled" | "lost";
  /** The start in milliseconds since 1970 by the monotonic clock, as the times below. */
  readonly beganMs: number;
  /** The time of the last output or progress, in milliseconds. */
  readonly heardMs: number;
  /** The time until which the job can be read, in milliseconds. */
  readonly untilMs: number;
  readonly lastLine?: string;
  /** True when no other of several instances knows the job. */
  readonly isLocal?: boolean;
}

/** The end of a run for logs, with the keys of the audit log's JSON. */
export interface RunRecord {
  readonly ending: string;
  readonly exit_code?: number;
  /** The first line of the error of a script. */
  readonly error?: string;
  /** `false`: it succeeded, but its output does not match the tool's `output_schema`. */
  readonly fits?: false;
  readonly stdout_bytes?: number;
  readonly stderr_bytes?: number;
  /** Files that the program created under a protected name of a sandbox. */
  readonly set_aside?: readonly string[];
  /** Paths that git did not read or take in. */
  readonly left_out?: readonly string[];
  /** Words that replaced some of `argv` in the call of git. */
  readonly words?: readonly string[];
  /** The rights that the sandbox of the run left in the end. */
  readonly sandbox?: object;
  readonly cwd?: string;
}

export function textResult(text: string, isError = false): CallResult {
  return { content: [{ type: "text", text }], isError };
}

/** Adds each note as a separate block, so that it is neither truncated nor stored. */
export function withNotes<Result extends Pick<CallResult, "content">>(
  result: Result,
  ...notes: readonly string[]
): Result {
  const blocks = notes.map((text) => ({ type: "text", text }) as const);
  return { ...result, content: [...result.content, ...blocks] };
}

/** Returns the text of a result: its texts unchanged, and a line for each other part. */
export function textOf({ content }: Pick<CallResult, "content">): string {
  return content.map(textOfBlock).join("\n\n");
}

export function blockText(block: ContentBlock): string | undefined {
  if (block.type === "text") return block.text;
  return block.type === "resource" ? block.resource.text : undefined;
}

export function withText(block: ContentBlock, text: string): ContentBlock {
  if (block.type === "resource") return { ...block, resource: { ...block.resource, text } };
  return { ...block, type: "text", text } as ContentBlock;
}

function textOfBlock(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type}: ${block.mimeType}, ${
        plural(Math.floor(block.data.length * 3 / 4), "byte")
      }]`;
    case "resource_link":
      return `[resource: ${block.uri}]`;
    case "resource": {
      const { uri, mimeType = "binary", text, blob } = block.resource;
      if (text !== undefined || blob === undefined) return text ?? `[resource: ${uri}]`;
      return `[resource: ${uri}, ${mimeType}, ${plural(Math.floor(blob.length * 3 / 4), "byte")}]`;
    }
  }
}

/** Returns whether an answer has only texts and values: every schema of the SDK accepts it unchanged. */
export function isTextAnswer(value: unknown): boolean {
  if (!isObject(value) || !hasOnly(value, "content", "isError", "structuredContent")) return false;
  const { content, isError = false, structuredContent: values = {} } = value;
  return Array.isArray(content) && content.every(isText) && typeof isError === "boolean" &&
    isObject(values) && !Object.hasOwn(values, "__proto__");
}

function isText(block: unknown): boolean {
  return isObject(block) && hasOnly(block, "type", "text") && block["type"] === "text" &&
    typeof block["text"] === "string";
}

function hasOnly(value: object, ...keys: readonly string[]): boolean {
  for (const key in value) if (!keys.includes(key)) return false;
  return true;
}
