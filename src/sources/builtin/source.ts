/** What a tool that is built in does: what this wing keeps in `tool.source`. */

import type { CallResult } from "../../tool/result.ts";
import type { ArgValues, builtinKind, Source, Tool } from "../../tool/tool.ts";
import type { Reading } from "./reading.ts";

/** A tool that is built in. */
export interface BuiltinSource extends Source {
  readonly kind: typeof builtinKind;
  /** What a call of it does. */
  readonly work: (reading: Reading, values: ArgValues) => CallResult | Promise<CallResult>;
}

/** The source of a tool of this wing. */
export function sourceOf(tool: Tool): BuiltinSource {
  return tool.source as BuiltinSource;
}
