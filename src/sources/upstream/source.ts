/** The source of a tool of an upstream server, stored in `tool.source`. */

import type { Source, Tool } from "../../tool/tool.ts";

export const upstreamKind = "upstream";

export interface UpstreamSource extends Source {
  readonly kind: typeof upstreamKind;
  readonly server: string;
  /** The server's own name for the tool. */
  readonly tool: string;
}

export function sourceOf(tool: Tool): UpstreamSource {
  return tool.source as UpstreamSource;
}
