/** The interface between a session and a source of tools. */

import type { Catalog } from "../catalog/catalog.ts";
import type { ResultFormat } from "../catalog/compact.ts";
import type { Problem } from "../errors.ts";
import type { Executor } from "../exec/executor.ts";
import type { Runner } from "../tool/runner.ts";
import type { AbsentOwner, Tool, WithheldTool } from "../tool/tool.ts";

/** The tools of a source, with all problems and warnings. */
export interface LoadResult {
  readonly tools: readonly Tool[];
  /** Problems that prevent the start. */
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

/** A change of a source that has read its files again. It is either committed or discarded. */
export interface SourceChange {
  commit(): void;
  discard(): void;
}

/** A kind of tool. A session closes its runner. All but `kind`, `runner` and `load` are hooks that few sources need. */
export interface ToolSource {
  /** The `kind` that each of its tools has in `tool.source`. */
  readonly kind: string;
  readonly runner: Runner;
  /** False while a server that has not answered may have more tools. @default true */
  readonly isComplete?: boolean;
  /** The paths of the files and folders of the source: when one changes, a session loads again. */
  readonly files?: readonly string[];
  /** The format of search results where the policy has none. */
  readonly results?: ResultFormat | undefined;
  /** Embeds a catalogue, and again whenever it changes. */
  readonly embedding?: { follow(catalog: Catalog): Promise<void>; close(): void };
  /** Loads the tools. `taken` are those of the sources with precedence. */
  load(taken: readonly Tool[]): Promise<LoadResult>;
  /** Reads the files again. Until the change is committed or discarded, `load` returns their present tools. */
  reload?(): Promise<SourceChange>;
  /** Called after each load with the built-in tools that the policy allows. */
  permit?(builtin: readonly Tool[]): void;
  /** Runs programs as the policy says. Returns the runner for later calls. */
  useExecutor?(executor: Executor): Runner;
  /** Owners without an answer, whose tools are unknown. */
  absent?(): readonly AbsentOwner[];
  /**
   * Finds the tool of a call by the name of a feature: a prompt, a resource, listed or not, or a completion. `listed`
   * has those that the policy allows. Absent, or without a result, there is none of that name.
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
  /** Calls `onChange` whenever `load` would return other tools, for reasons other than a changed config file. */
  subscribe?(onChange: () => void): void;
}
