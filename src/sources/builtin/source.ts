/** The source of a built-in tool, stored in `tool.source`. */

import type { CallResult } from "../../tool/result.ts";
import type { ArgValues, builtinKind, Source, Tool } from "../../tool/tool.ts";
import type { JobServices } from "./job_tools.ts";
import type { OutputServices } from "./output_tools.ts";

export interface BuiltinSource extends Source {
  readonly kind: typeof builtinKind;
  /** The group that the tool belongs to. */
  readonly about: BuiltinGroup;
  readonly work: (services: ToolServices, values: ArgValues) => CallResult | Promise<CallResult>;
}

/** The groups of built-in tools: stored outputs and background jobs. */
export type BuiltinGroup = "outputs" | "jobs";

interface ToolServices extends OutputServices, JobServices {}

export function builtinSourceOf(tool: Tool): BuiltinSource {
  return tool.source as BuiltinSource;
}
