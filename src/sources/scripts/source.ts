/** The source of a tool that runs a script, stored in `tool.source`. */

import { type Source, type Tool } from "../../tool/tool.ts";

export const scriptKind = "script";

export function isScript({ source }: Pick<Tool, "source">): boolean {
  return source.kind === scriptKind;
}

export type ScriptSource = Source & { readonly kind: typeof scriptKind };
