/** The tool `script_run`, which runs code of an agent. */

import { worstEffect } from "../../tool/annotations.ts";
import { type Owner, textArg, type Tool } from "../../tool/tool.ts";
import { scriptLimits } from "./limits.ts";

export const scriptKind = "script";

export const runTool = "script_run";

/** Returns whether a tool runs scripts. A script must not call such a tool. */
export function isScript({ source }: Pick<Tool, "source">): boolean {
  return source.kind === scriptKind;
}

const scriptOwner: Owner = {
  name: "script",
  description: "Scripts: many calls in one",
  tags: ["batch", "loop", "code", "javascript", "fan-out", "join", "filter"],
  isScripts: true,
};

export function scriptTool(taken: readonly Tool[]): Tool {
  const effect = worstEffect(taken);
  return {
    name: runTool,
    description: "Run JavaScript that makes many calls in one turn and returns what matters. " +
      "It has await call(tool_name, args, {select?: JSONPath}) → {text, data?}, " +
      "await search(query) → [{name, signature}], await all([() => …], n ≤ 8), input and log(); " +
      "`return` gives the answer. No files, network, modules or timers",
    owner: scriptOwner,
    examples: ["run many calls in one", "call a tool for each of these", "loop over results"],
    args: [
      textArg("code", "The body of an async function", {
        required: true,
        constraint: { maxLength: scriptLimits.sourceLength },
      }),
      { ...textArg("input", "Any value, which the script has as `input`"), type: "json" },
      {
        ...textArg(
          "dry_run",
          "List all calls that change something, also those that need no question, and make them only if the person agrees",
        ),
        type: "boolean",
      },
    ],
    effect,
    // The call of `script_run` asks nothing by itself: its script's calls are collected for one question
    needsConsent: false,
    keepsEffect: true,
    timeoutMs: scriptLimits.totalMs,
    source: { kind: scriptKind },
  };
}
