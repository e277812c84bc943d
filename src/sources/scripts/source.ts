/** The sources of the tools of scripts, stored in `tool.source`. */

import type { Effect, Source, Tool } from "../../tool/tool.ts";

export const scriptKind = "script";

/** The tool that runs the code of an agent. */
export interface AgentScriptSource extends Source {
  readonly kind: typeof scriptKind;
  readonly task: "run";
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
