/** Defines the result of a call, which is the same for each kind of tool. */

import { isObject } from "../text/own_property.ts";
import { plural } from "../text/plural.ts";

/** A part of a result, with the keys of a content block of MCP (2026-07-28). */
export type ContentBlock =
  | { readonly type: "text"; readonly text: string; readonly [key: string]: unknown }
  | {
    readonly type: "image" | "audio";
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
      readonly blob?: string;
    };
    readonly [key: string]: unknown;
  };

export interface CallResult {
  readonly content: readonly ContentBlock[];
  readonly structured?: Readonly<Record<string, unknown>>;
  /** Structured content as JSON text, which may be too large to parse. */
  readonly structuredJson?: string;
  readonly isError: boolean;
  readonly record?: RunRecord;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly prompt?: PromptPart;
  readonly isWhole?: boolean;
  /** True if a server did not answer, so that it is not known whether the prompt or resource exists. */
  readonly isUnavailable?: boolean;
  readonly refusedBy?: string;
  readonly job?: JobView;
  /** The whole output of each block of `content` that shows only a part of it, by the block's index. */
  readonly wholeOutputs?: ReadonlyMap<number, WholeOutput>;
}

interface PromptPart {
  readonly description?: string;
  readonly roles: readonly ("user" | "assistant")[];
}

/** The whole output of a program, of which a block shows a part. Whoever gets the result must store or discard it. */
export interface WholeOutput {
  readonly isShown?: boolean;
  readonly isLossy?: () => boolean;
  readonly isBinary?: boolean;
  readonly isSource?: boolean;
  readonly extent?: { readonly words: string; readonly next: number };
  readonly path?: string;
  /** How many lines and bytes of the output the block lacks. */
  readonly lines: number;
  readonly bytes: number;
  readonly stored?: { readonly bytes: number; readonly isCut: boolean };
  readonly read?: () => string;
  discard(): void;
}

export interface JobView {
  readonly id: string;
  readonly tool: string;
  /** `lost`: the instance that runs the job has given no sign of life since {@linkcode JobView.heardMs}. */
  readonly state: "running" | "finished" | "cancelled" | "lost";
  /** Milliseconds since 1970, by a clock that changes of the system's time do not move. */
  readonly beganMs: number;
  readonly heardMs: number;
  readonly untilMs: number;
  readonly lastLine?: string;
  readonly isLocal?: boolean;
}

/** How the run of a tool ended. The keys are those of the audit log. */
export interface RunRecord {
  readonly ending: string;
  readonly exit_code?: number;
  readonly error?: string;
  /** `false` if the run succeeded, but its output does not match the tool's `output_schema`. */
  readonly fits?: false;
  readonly stdout_bytes?: number;
  readonly stderr_bytes?: number;
  /** Files that the program created under names that a sandbox protects; climax has moved them aside. */
  readonly set_aside?: readonly string[];
  readonly left_out?: readonly string[];
  readonly words?: readonly string[];
  readonly sandbox?: object;
  readonly cwd?: string;
}

export function textResult(text: string, isError = false): CallResult {
  return { content: [{ type: "text", text }], isError };
}

/** Adds each note to a result as a block of its own, so that truncating the output does not cut the note. */
export function withNotes<Result extends Pick<CallResult, "content">>(
  result: Result,
  ...notes: readonly string[]
): Result {
  const blocks = notes.map((text) => ({ type: "text", text }) as const);
  return { ...result, content: [...result.content, ...blocks] };
}

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
