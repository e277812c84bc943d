/** The definition of `script_run`. */

import { effectOf } from "../../tool/annotations.ts";
import type { Arg, Effect, Tool } from "../../tool/tool.ts";
import { scriptLimits } from "./limits.ts";
import { runTool } from "./names.ts";
import { scriptKind } from "./source.ts";

/** The worst effect that one of `tools` has. */
function worstEffect(tools: readonly Tool[]): Effect {
  const effects = new Set(tools.map(effectOf));
  return (["destructive", "write"] as const).find((effect) => effects.has(effect)) ?? "read";
}

/** The tool over `taken`, which it may call. */
export function scriptTool(taken: readonly Tool[]): Tool {
  return {
    name: runTool,
    description: "Run JavaScript that makes many calls in one turn and returns what matters. " +
      "It has await call(tool_name, args, {select?: JSONPath}) → {text, data?}, " +
      "await search(query) → [{name, signature}], await all([() => …], n ≤ 8), input and log(); " +
      "`return` gives the answer. No files, network, modules or timers",
    owner: {
      name: "script",
      description: "Scripts: many calls in one",
      tags: ["batch", "loop", "code", "javascript", "fan-out", "join", "filter"],
    },
    examples: ["run many calls in one", "call a tool for each of these", "loop over results"],
    args: [
      arg("code", "The body of an async function", {
        required: true,
        constraint: { maxLength: scriptLimits.sourceLength },
      }),
      { ...arg("input", "Any value, which the script has as `input`"), type: "json" },
      {
        ...arg(
          "dry_run",
          "Calls that change something are not made but listed, and made if the person agrees",
        ),
        type: "boolean",
      },
    ],
    effect: worstEffect(taken),
    timeoutMs: scriptLimits.totalMs,
    source: { kind: scriptKind },
  };
}

function arg(name: string, description: string, rest: Partial<Arg> = {}): Arg {
  return { name, description, type: "string", required: false, role: { kind: "json" }, ...rest };
}
