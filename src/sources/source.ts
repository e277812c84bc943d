/** The interface between a session and its sources of tools. */

import type { Catalog } from "../catalog/catalog.ts";
import type { ResultFormat } from "../catalog/compact.ts";
import type { Problem } from "../errors.ts";
import type { Executor } from "../exec/executor.ts";
import type { Runner } from "../tool/runner.ts";
import type { AbsentOwner, Tool, WithheldTool } from "../tool/tool.ts";

export interface LoadResult {
  readonly tools: readonly Tool[];
  /** Problems that prevent the start. */
  readonly problems: readonly Problem[];
  /** True if a file was not found or could not be read. */
  readonly unreadable: boolean;
  readonly warnings: readonly Problem[];
  /** Tools that are not served, since the person has not accepted their present definitions. @default none */
  readonly withheld?: readonly WithheldTool[] | undefined;
}

/** The tool of a feature, and the arguments of the call. */
export interface FoundFeature {
  readonly tool: Tool;
  readonly args: unknown;
  /** True if the policy has not checked the tool yet, because it is not in the catalogue. */
  readonly isUnlisted: boolean;
}

/** The result of reading a source's files again. The caller must either commit or discard it. */
export interface SourceChange {
  commit(): void;
  discard(): void;
}

/**
 * One source of tools, such as configs or MCP servers. A session closes its runner. Only `kind`, `runner` and `load`
 * are required; the rest are hooks that few sources need.
 */
export interface ToolSource {
  /** The kind of source, which each tool repeats in `tool.source.kind`. */
  readonly kind: string;
  readonly runner: Runner;
  /** False while a server that has not answered yet may add tools. @default true */
  readonly isComplete?: boolean;
  /** Paths of the loaded files and folders; a session loads the source again when one changes. */
  readonly files?: readonly string[];
  /** The format of search results, if the policy sets none. */
  readonly results?: ResultFormat | undefined;
  /** Computes embeddings of a catalogue now, and again whenever the catalogue changes. */
  readonly embedding?: { follow(catalog: Catalog): Promise<void>; close(): void };
  /** Loads the tools. `taken` are tools of sources with precedence, whose names are not available. */
  load(taken: readonly Tool[]): Promise<LoadResult>;
  /** Reads the files again. Until the change is committed or discarded, `load` returns the present tools. */
  reload?(): Promise<SourceChange>;
  /** Tells the source after each load which built-in tools the policy allows. */
  permit?(builtin: readonly Tool[]): void;
  /** Sets where programs run, as the policy says. Returns the runner for later calls. */
  useExecutor?(executor: Executor): Runner;
  /** Returns the owners, such as servers, that have not answered, so that their tools are unknown. */
  absent?(): readonly AbsentOwner[];
  /**
   * Finds the tool of a call by the name of a feature: a prompt, a resource, listed or not, or a completion. `listed`
   * has the features that the policy allows. Returns nothing if there is no such feature.
   */
  readonly findFeature?:
    | ((
      name: string,
      args: unknown,
      listed: (name: string) => Tool | undefined,
    ) => FoundFeature | undefined)
    | undefined;
  /**
   * Calls `onUpdate` whenever the resource changes, for the client `owner`; other clients may follow it too. Returns a
   * function that ends the subscription, or nothing if the resource cannot be followed.
   */
  subscribeResource?(
    tool: Tool,
    onUpdate: () => void,
    owner: string | undefined,
  ): Promise<(() => void) | undefined>;
  /** Calls `onChange` whenever `load` would return other tools for another reason than a changed config file. */
  subscribe?(onChange: () => void): void;
}
