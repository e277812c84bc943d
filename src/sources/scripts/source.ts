/** The names of scripts and their tools, and the sources of these, stored in `tool.source`. */

import type { Effect, Source, Tool } from "../../tool/tool.ts";

export const scriptKind = "script";

/** The tool that runs the code of an agent. */
export const runTool = "script_run";

/** The tool with which an agent proposes a script. */
export const proposeTool = "script_propose";

/** The names of a script, and of what is around it, in the errors of its room. */
export const fileName = "script.js";
export const preludeName = "climax";

/** The tool that runs or proposes the code of an agent. */
export interface AgentScriptSource extends Source {
  readonly kind: typeof scriptKind;
  readonly task: "run" | "propose";
}

/** A script that a person has kept. */
export interface KeptSource extends Source {
  readonly kind: typeof scriptKind;
  readonly task: "kept";
  readonly file: string;
  /** The whole text of its file. */
  readonly code: string;
  readonly sha256: string;
  /** The worst effect that its header allows its calls. */
  readonly effect: Effect;
}

type ScriptSource = AgentScriptSource | KeptSource;

/** The source of a tool of this kind. */
export function scriptSourceOf({ source }: Pick<Tool, "source">): ScriptSource {
  return source as ScriptSource;
}

/** True for tools that run or propose a script, which no script may call. */
export function isScript({ source }: Pick<Tool, "source">): boolean {
  return source.kind === scriptKind;
}

/** The file and the hash of the kept script that `tool` is; nothing if it is another tool. */
export function scriptOf(tool: Pick<Tool, "source">): KeptSource | undefined {
  if (!isScript(tool)) return undefined;
  const source = scriptSourceOf(tool);
  return source.task === "kept" ? source : undefined;
}
