/** A source of tools as a session sees it. */

import type { Problem } from "../errors.ts";
import type { LogListener, LogMessage } from "../tool/log_message.ts";
import type { Runner } from "../tool/runner.ts";
import type { Tool } from "../tool/tool.ts";
import type { WithheldTool } from "../tool/withheld_tool.ts";

/** The tools of a source, with all problems and warnings. */
export interface LoadResult {
  readonly tools: readonly Tool[];
  /** Prevent the start. */
  readonly problems: readonly Problem[];
  /** A file was not found or cannot be read. */
  readonly unreadable: boolean;
  readonly warnings: readonly Problem[];
  /** Tools that a person has not accepted as they are. @default none */
  readonly withheld?: readonly WithheldTool[] | undefined;
}

/** The tool of a call, with its arguments. */
export interface FoundFeature {
  readonly tool: Tool;
  readonly args: unknown;
  /** The policy has not seen the tool yet. */
  readonly isUnlisted: boolean;
}

/** A kind of tool. A session closes its runner. */
export interface ToolSource {
  /** The `kind` that each of its tools has in `tool.source`. */
  readonly kind: string;
  readonly runner: Runner;
  /** False while a server that has not answered may have more tools. @default true */
  readonly isComplete?: boolean;
  /** `taken` are the tools of the sources with precedence. */
  load(taken: readonly Tool[]): Promise<LoadResult>;
  /**
   * The tool of a call by the name of a feature: a prompt, a resource, listed or not, or a completion. `listed` has
   * those that the policy allows. Absent, or without a result, it has none of that name.
   */
  readonly findFeature?:
    | ((
      name: string,
      args: unknown,
      listed: (name: string) => Tool | undefined,
    ) => FoundFeature | undefined)
    | undefined;
  /**
   * Calls `onUpdate` whenever the resource changes, for `owner` and other clients. Returns a function that stops
   * this, if it can be followed.
   */
  subscribeResource?(
    tool: Tool,
    onUpdate: () => void,
    owner: string | undefined,
  ): Promise<(() => void) | undefined>;
  /** Calls `onLog` with log messages that belong to no call, of connections of `owner`. */
  onLog?(onLog: (message: LogMessage) => void, owner: string | undefined): LogListener;
  /** Calls `onChange` whenever `load` would return other tools, for reasons other than a changed config file. */
  subscribe?(onChange: () => void): void;
}
