/** Tells tools of scripts from others, for those that do not open sources. */

import type { Tool } from "../../tool/tool.ts";
import { scriptKind, sourceOf } from "./source.ts";

/** True for tools that run or propose a script, which no script may call. */
export function isScript({ source }: Pick<Tool, "source">): boolean {
  return source.kind === scriptKind;
}

/** The file and the hash of the kept script that `tool` is; nothing if it is another tool. */
export function keptScriptOf(
  tool: Pick<Tool, "source">,
): { readonly file: string; readonly sha256: string } | undefined {
  if (!isScript(tool)) return undefined;
  const source = sourceOf(tool);
  return source.task === "kept" ? source : undefined;
}
