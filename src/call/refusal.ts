/** The answer to a call that is not run: its text for the agent, another for logs, and the rule that decided. */

import type { ResultFormat } from "../catalog/compact.ts";
import type { Objection } from "../policy/check.ts";
import { argumentStage } from "../tool/runner.ts";
import { signatureOf } from "../tool/signature.ts";
import type { Tool } from "../tool/tool.ts";

/** A call that may not be run. */
export interface RefusedCall {
  readonly ok: false;
  /** The text that the agent reads. */
  readonly text: string;
  /** The text for logs, without the values of a tool that has secrets. */
  readonly shownText: string;
  /** What decided: `unknown tool`, `arguments`, or the path of a rule in the policy. */
  readonly rule: string;
  /** The tool whose arguments were not right. */
  readonly tool?: Tool;
}

/** Whether a step refused the call. */
export function isRefused(step: object): step is RefusedCall {
  return "ok" in step && step.ok === false;
}

/** Adds how the tool is called, for an agent that reads compact results and has not seen the schema. */
export function withSignature(
  refused: RefusedCall,
  { results }: { readonly results?: ResultFormat },
): RefusedCall {
  if (refused.tool === undefined || results !== "compact") return refused;
  return { ...refused, text: `${refused.text}\nTakes: ${signatureOf(refused.tool)}` };
}

/** Refuses with a text that has no secret in it. */
export function refusal(text: string, rule: string): RefusedCall {
  return { ok: false, text, shownText: text, rule };
}

/** Refuses a call of `tool` at `stage`. Logs do not get the reasons where the tool has secrets. */
export function refuse(
  tool: Tool,
  { stage, reasons, rule }: {
    readonly stage: string;
    readonly reasons: readonly string[];
    readonly rule: string;
  },
): RefusedCall {
  const text = refusalText(stage, reasons);
  const shownText = hasSecrets(tool)
    ? `${stage} failed: not shown, for the tool has secrets`
    : text;
  return { ok: false, text, shownText, rule, ...(stage === argumentStage ? { tool } : {}) };
}

/** Refuses for values of arguments; each rule is named below `origin`, where it stands in a file. */
export function refuseValues(
  tool: Tool,
  { stage, objections, origin }: {
    readonly stage: string;
    readonly objections: readonly Objection[];
    readonly origin: string | undefined;
  },
): RefusedCall {
  const rules = objections.map(({ arg, rule }) => {
    return origin === undefined ? `${arg}: ${rule}` : `${origin}.args.${arg}.${rule}`;
  });
  const reasons = objections.map(({ text }) => text);
  return refuse(tool, { stage, reasons, rule: rules.join(", ") });
}

/** `STAGE failed:` and the reasons, one a line. */
export function refusalText(stage: string, reasons: readonly string[]): string {
  // What a server named its arguments does not begin a line
  const lines = reasons.map((reason) => `  - ${reason.replaceAll("\n", "\n    ")}`);
  return [`${stage} failed:`, ...lines].join("\n");
}

function hasSecrets({ args }: Tool): boolean {
  return args.some(({ constraint }) => constraint?.secret);
}
