/** What a tool that is built in does: what this wing keeps in `tool.source`. */

import type { CallResult } from "../../tool/result.ts";
import type { ArgValues, builtinKind, Source, Tool } from "../../tool/tool.ts";
import type { Asking } from "./asking.ts";
import type { Reading } from "./reading.ts";

/** A tool that is built in. */
export interface BuiltinSource extends Source {
  readonly kind: typeof builtinKind;
  /** What it is about. */
  readonly about: Matter;
  /** What a call of it does. */
  readonly work: (desk: Desk, values: ArgValues) => CallResult | Promise<CallResult>;
}

/** What there may be something of, or not yet: outputs that are kept, calls that go on. */
export type Matter = "outputs" | "jobs";

/** What a call of a built-in tool works with. */
export interface Desk extends Reading, Asking {}

/** The source of a tool of this wing. */
export function sourceOf(tool: Tool): BuiltinSource {
  return tool.source as BuiltinSource;
}
