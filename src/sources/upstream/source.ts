/** How a tool of an MCP server is called: what this wing keeps in `tool.source`. */

import type { Source, Tool } from "../../tool/tool.ts";

/** The `kind` of this wing's sources. */
export const upstreamKind = "upstream";

/** Which tool of which server. */
export interface UpstreamSource extends Source {
  readonly kind: typeof upstreamKind;
  readonly server: string;
  /** The server's own name for the tool. */
  readonly tool: string;
}

/** The source of a tool of this wing. */
export function sourceOf(tool: Tool): UpstreamSource {
  return tool.source as UpstreamSource;
}
