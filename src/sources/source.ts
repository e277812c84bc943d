/** The interface between a session and its sources of tools. */

import type { Catalog } from "../catalog/catalog.ts";
import type { ResultFormat } from "../catalog/compact.ts";
import type { Problem } from "../errors.ts";
import type { Executor } from "../exec/executor.ts";
import type { Runner } from "../tool/runner.ts";
import type { AbsentOwner, Tool, WithheldTool } from "../tool/tool.ts";

export interface LoadResult {
  readonly tools: readonly Tool[];
  readonly problems: readonly Problem[];
  readonly unreadable: boolean;
  readonly warnings: readonly Problem[];
  readonly withheld?: readonly WithheldTool[] | undefined;
}

export interface FoundFeature {
  readonly tool: Tool;
  readonly args: unknown;
  /** True if the tool is not in the catalogue, so that the caller must ask the policy before it calls the tool. */
  readonly isUnlisted: boolean;
}

/** A source's files as they are now, read and not yet used. The caller must either commit or discard the change. */
export interface SourceChange {
  commit(): void;
  discard(): void;
}

/** One source of tools, such as configs or MCP servers. The session that uses it closes its runner at the end. */
export interface ToolSource {
  readonly kind: string;
  readonly runner: Runner;
  /** False while the source has a server that has not answered yet, and so may add tools. @default true */
  readonly isComplete?: boolean;
  /** Paths of the loaded files and folders; a session loads the source again when one changes. */
  readonly files?: readonly string[];
  readonly results?: ResultFormat | undefined;
  /** Computes embeddings of a catalogue now, and again whenever the catalogue changes. */
  readonly embedding?: { follow(catalog: Catalog): Promise<void>; close(): void } | undefined;
  /** Loads the tools. `taken` are the tools of sources that come first, whose names cannot be used again. */
  load(taken: readonly Tool[]): Promise<LoadResult>;
  reload?(): Promise<SourceChange>;
  /** Tells the source after each load which built-in tools the policy allows. */
  permit?(builtin: readonly Tool[]): void;
  /** Sets where the source's programs run. Later calls must use the runner that it returns. */
  useExecutor?(executor: Executor): Runner;
  /** Returns the owners, such as MCP servers, whose tools are unknown because they have not answered yet. */
  absent?(): readonly AbsentOwner[];
  readonly findFeature?:
    | ((
      name: string,
      args: unknown,
      listed: (name: string) => Tool | undefined,
    ) => FoundFeature | undefined)
    | undefined;
  /** Follows a resource for the client `owner`. Returns a function that ends that; nothing if it cannot be followed. */
  subscribeResource?(
    tool: Tool,
    onUpdate: () => void,
    owner: string | undefined,
  ): Promise<(() => void) | undefined>;
  /** Calls `onChange` whenever `load` would return other tools, except after a change of the source's own files. */
  subscribe?(onChange: () => void): void;
}
