/** The result of a call, the same for each kind of tool. */

import { plural } from "../text/plural.ts";

/** One part of an answer, names as in MCP 2026-07-28, content blocks. */
export type ContentBlock =
  | { readonly type: "text"; readonly text: string; readonly [key: string]: unknown }
  | {
    readonly type: "image" | "audio";
    /** Base64. */
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
    readonly resource: { readonly uri: string; readonly text?: string; readonly blob?: string };
    readonly [key: string]: unknown;
  };

/** The result that an agent receives. */
export interface CallResult {
  readonly content: readonly ContentBlock[];
  readonly structured?: Readonly<Record<string, unknown>>;
  /** The same as JSON, for truncating results: it may be too long to parse. */
  readonly structuredJson?: string;
  /** A refusal, or anything but success. */
  readonly isError: boolean;
  /** The record for the logs; absent when nothing was run. */
  readonly record?: RunRecord;
  /** The call that it is not the result of, but tells of. */
  readonly job?: JobView;
  /** Full texts by position in `content`, where that has only a part: for truncating results. */
  readonly uncut?: ReadonlyMap<number, FullText>;
}

/** A text that is longer than what a result has of it. Whoever gets one keeps it or lets it go. */
export interface FullText {
  /** Whether the text of the result was selected from it, and is no part of it. @default false */
  readonly isSource?: boolean;
  /** The JSONPath that selected it, where it is JSON. */
  readonly path?: string;
  /** Lines that all of it has more than what the result has. */
  readonly lines: number;
  /** Bytes that it has more. */
  readonly bytes: number;
  /** Present where it is kept as it is until it is let go: as many bytes, with or without its end. */
  readonly stored?: { readonly bytes: number; readonly isCut: boolean };
  /** All of it that there is; absent where it is gone. */
  readonly read?: () => string;
  /** Frees what holds it. */
  discard(): void;
}

/** The state of a background job, as a client sees it. */
export interface JobView {
  readonly id: string;
  readonly tool: string;
  readonly state: "running" | "finished" | "cancelled";
  /** In milliseconds since 1970 by the monotonic clock, as the next two. */
  readonly beganMs: number;
  /** When something was last heard of it. */
  readonly heardMs: number;
  /** Until when it can be asked for, at the latest. */
  readonly untilMs: number;
  /** Its last line of output. */
  readonly lastLine?: string;
}

/** How a run ended, as logs have it; keys are those of the audit log's JSON. */
export interface RunRecord {
  readonly ending: string;
  readonly exit_code?: number;
  /** `false`: it succeeded, and what it printed is not what the tool's `output_schema` promises. */
  readonly fits?: false;
  readonly stdout_bytes?: number;
  readonly stderr_bytes?: number;
}

/** A result that is one text. */
export function textResult(text: string, isError = false): CallResult {
  return { content: [{ type: "text", text }], isError };
}

/** The text of a result: its texts as they are, and a line for each part that is none. */
export function textOf({ content }: Pick<CallResult, "content">): string {
  return content.map(textOfBlock).join("\n\n");
}

/** The text that `block` carries; nothing where it carries none. */
export function textIn(block: ContentBlock): string | undefined {
  if (block.type === "text") return block.text;
  return block.type === "resource" ? block.resource.text : undefined;
}

/** `block`, which carries a text, with another one. */
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
    case "resource":
      return block.resource.text ?? `[resource: ${block.resource.uri}]`;
  }
}
