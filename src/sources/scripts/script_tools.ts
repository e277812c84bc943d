/** The names of scripts and their tools, and what tells these from others, for those that do not open sources. */

import type { Tool } from "../../tool/tool.ts";
import { type KeptSource, scriptKind, scriptSourceOf } from "./source.ts";

/** The tool that runs the code of an agent. */
export const runTool = "script_run";

/** The names of a script, and of what is around it, in the errors of its VM. */
export const fileName = "script.js";
export const preludeName = "climax";

/** True for tools that run a script, which no script may call. */
export function isScript({ source }: Pick<Tool, "source">): boolean {
  return source.kind === scriptKind;
}

/** The file and the hash of the kept script that `tool` is; nothing if it is another tool. */
export function scriptOf(tool: Pick<Tool, "source">): KeptSource | undefined {
  if (!isScript(tool)) return undefined;
  const source = scriptSourceOf(tool);
  return source.task === "kept" ? source : undefined;
}
