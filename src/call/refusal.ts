/** Writes the answer to a refused call: one text for the agent, and one for logs. */

import type { Objection } from "../policy/check.ts";
import { type CallResult, textOf, textResult } from "../tool/result.ts";
import { argumentStage, type Refusal } from "../tool/runner.ts";
import { signatureOf } from "../tool/signature.ts";
import type { Tool } from "../tool/tool.ts";

export function isRefused(step: object): step is Refusal {
  return "ok" in step && step.ok === false;
}

export function refusal(text: string, rule: string, help: readonly string[] = []): Refusal {
  return { ok: false, reasons: [text], help, rule };
}

/** Refuses the arguments of a call, and shows the signature of `tool`, since the agent has most likely guessed them. */
export function refuseArguments(
  tool: Parameters<typeof signatureOf>[0],
  reasons: readonly string[],
  help: readonly string[] = [],
): Refusal {
  const takes = `Takes: ${signatureOf(tool)}`;
  const known = "owner" in tool ? { tool: tool as Tool } : {};
  const rule = "arguments";
  return { ok: false, stage: argumentStage, reasons, help: [...help, takes], rule, ...known };
}

const maxReasons = 3;

/** Refuses values of arguments. `origin` is the path in the config or policy below which the broken rules stand. */
export function refuseValues(
  tool: Tool,
  { stage, objections, origin }: {
    readonly stage: string;
    readonly objections: readonly Objection[];
    readonly origin: string | undefined;
  },
): Refusal {
  const rules = objections.map(({ arg, rule }) => {
    return origin === undefined ? `${arg}: ${rule}` : `${origin}.args.${arg}.${rule}`;
  });
  const reasons = objections.slice(0, maxReasons).map(({ text }) => text);
  if (objections.length > maxReasons) {
    reasons.push(`and ${objections.length - maxReasons} more values, for reasons like these`);
  }
  const help = objections.flatMap(({ help }) => help ?? []);
  const rule = rules.join(", ");
  if (stage === argumentStage) return { ...refuseArguments(tool, reasons, help), rule };
  return { ok: false, stage, reasons, help, rule, tool };
}

/** Returns the answer to a refused call: the reasons in one block, and the help for the agent in a second one. */
export function refusalResult(
  refusal: Pick<Refusal, "stage" | "reasons" | "help">,
  isError = true,
): CallResult {
  const { help = [] } = refusal;
  const texts = [reasonsText(refusal), ...(help.length === 0 ? [] : [help.join("\n")])];
  return { content: texts.flatMap((text) => textResult(text).content), isError };
}

export function refusalText(refusal: Parameters<typeof refusalResult>[0]): string {
  return textOf(refusalResult(refusal));
}

export function refusalLogText(refusal: Refusal): string {
  const { stage, tool } = refusal;
  const hasSecrets = tool?.args.some(({ constraint }) => constraint?.secret);
  if (stage === undefined || !hasSecrets) return reasonsText(refusal);
  return `${stage} failed: not shown, for the tool has secrets`;
}

function reasonsText({ stage, reasons }: Pick<Refusal, "stage" | "reasons">): string {
  if (stage === undefined) return reasons.join("\n");
  // Line breaks in a reason are indented, so that an agent's text cannot look like a line of the log
  const lines = reasons.map((reason) => `  - ${reason.replaceAll("\n", "\n    ")}`);
  return [`${stage} failed:`, ...lines].join("\n");
}
