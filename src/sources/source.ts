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
  /** Tools that are not served, since the person has not accepted their present definitions. @default none */
  readonly withheld?: readonly WithheldTool[] | undefined;
}

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

/** One source of tools, such as configs or MCP servers. A session closes its runner. */
export interface ToolSource {
  readonly kind: string;
  readonly runner: Runner;
  /** False while a server that has not answered yet may add tools. @default true */
  readonly isComplete?: boolean;
  /** Paths of the loaded files and folders; a session loads the source again when one changes. */
  readonly files?: readonly string[];
  readonly results?: ResultFormat | undefined;
  /** Computes embeddings of a catalogue now, and again whenever the catalogue changes. */
  readonly embedding?: { follow(catalog: Catalog): Promise<void>; close(): void } | undefined;
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
  /** Finds a prompt, a resource or a completion by its name. `listed` has the features that the policy allows. */
  readonly findFeature?:
    | ((
      name: string,
      args: unknown,
      listed: (name: string) => Tool | undefined,
    ) => FoundFeature | undefined)
    | undefined;
  /** Returns a function that ends the subscription of the client `owner`; nothing if no resource can be followed. */
  subscribeResource?(
    tool: Tool,
    onUpdate: () => void,
    owner: string | undefined,
  ): Promise<(() => void) | undefined>;
  /** Calls `onChange` whenever `load` would return other tools for another reason than a changed config file. */
  subscribe?(onChange: () => void): void;
}
