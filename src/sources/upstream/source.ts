/** The source of a tool of an upstream server, stored in `tool.source`. */

import type { Source, Tool } from "../../tool/tool.ts";

export const upstreamKind = "upstream";

/** What a call requests of the server. */
export type RequestKind = "tool" | "prompt" | "resource" | "completion" | "skill";

export interface UpstreamSource extends Source {
  readonly kind: typeof upstreamKind;
  readonly server: string;
  /** The server's own name for the tool or prompt, or its address of the resource. */
  readonly tool: string;
  /** @default tool */
  readonly request?: RequestKind;
  /** What a completion is for: a prompt by name, or a template of addresses. */
  readonly ref?:
    | { readonly type: "ref/prompt"; readonly name: string }
    | { readonly type: "ref/resource"; readonly uri: string };
}

export function upstreamSourceOf(tool: Tool): UpstreamSource {
  return tool.source as UpstreamSource;
}
