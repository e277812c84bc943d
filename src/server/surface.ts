/** What an MCP client sees of the catalogue: a list of tools and what happens when one is called. */

import type { CallOptions } from "../call/call.ts";
import type { CallResult } from "../tool/result.ts";
import type { Annotations, Icon } from "../tool/tool.ts";

/** A tool as `tools/list` shows it, field names as in MCP 2026-07-28. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly outputSchema?: object;
  readonly annotations?: Annotations;
  readonly title?: string;
  readonly icons?: readonly Icon[];
  /** What single clients look for beyond the protocol; no model is shown it. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** One way to show the catalogue. */
export interface Surface {
  /** Every tool, in the order they are shown. */
  list(): readonly ListedTool[];
  /** Calls the tool that `list` shows as `name`. Refusals are results, not exceptions. */
  call(name: string, args: unknown, options: CallOptions): Promise<CallResult>;
  /** Calls a tool of the catalogue, whether or not `list` shows it by its name. */
  callTool(name: string, args: unknown, options: CallOptions): Promise<CallResult>;
  /** Whether calls may go on behind their answers. */
  readonly hasJobs: boolean;
  /** What the agent is told when it connects. */
  readonly instructions: string;
  /** Calls `listener` when the catalogue is another one; returns how to stop that. */
  onChange(listener: () => void): () => void;
}
