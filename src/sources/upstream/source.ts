/** How a tool of an MCP server is called: what this source keeps in `tool.source`. */

import type { Source, Tool } from "../../tool/tool.ts";

/** The `kind` of this source's sources. */
export const upstreamKind = "upstream";

/** Which tool of which server. */
export interface UpstreamSource extends Source {
  readonly kind: typeof upstreamKind;
  readonly server: string;
  /** The server's own name for the tool. */
  readonly tool: string;
}

/** The source of a tool of this source. */
export function sourceOf(tool: Tool): UpstreamSource {
  return tool.source as UpstreamSource;
}
