/** The answer to a call that is not made: its text for the agent, and another for logs. */

import type { Objection } from "../policy/check.ts";
import { argumentStage, type Refusal } from "../tool/runner.ts";
import { signatureOf, takesWords } from "../tool/signature.ts";
import type { Tool } from "../tool/tool.ts";

export function isRefused(step: object): step is Refusal {
  return "ok" in step && step.ok === false;
}

/** Refuses with a text that has no secrets. */
export function refusal(text: string, rule: string): Refusal {
  return { ok: false, reasons: [text], rule };
}

/** Refuses the arguments of a call of `tool`. */
export function refuseArguments(
  tool: Tool,
  reasons: readonly string[],
  endsUnknown = false,
): Refusal {
  return { ok: false, stage: argumentStage, reasons, rule: "arguments", tool, endsUnknown };
}

/** Refuses the values of arguments; the name of each rule starts with `origin`, its path in a file. */
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
  const reasons = objections.map(({ text }) => text);
  return { ok: false, stage, reasons, rule: rules.join(", "), tool };
}

/** The text for the agent. One that has guessed arguments is told what the tool takes. */
export function refusalText(
  refusal: Pick<Refusal, "stage" | "reasons" | "tool" | "endsUnknown">,
): string {
  const { stage, tool, endsUnknown } = refusal;
  const text = reasonsText(refusal);
  if (tool === undefined || stage !== argumentStage) return text;
  return endsUnknown ? `${text}. ${takesWords(tool)}` : `${text}\nTakes: ${signatureOf(tool)}`;
}

/** The text for logs, without the values of a tool that has secrets. */
export function refusalLogText(refusal: Refusal): string {
  const { stage, tool } = refusal;
  const hasSecrets = tool?.args.some(({ constraint }) => constraint?.secret);
  if (stage === undefined || !hasSecrets) return reasonsText(refusal);
  return `${stage} failed: not shown, for the tool has secrets`;
}

function reasonsText({ stage, reasons }: Pick<Refusal, "stage" | "reasons">): string {
  if (stage === undefined) return reasons.join("\n");
  // An argument that a server named with line breaks must not start a line
  const lines = reasons.map((reason) => `  - ${reason.replaceAll("\n", "\n    ")}`);
  return [`${stage} failed:`, ...lines].join("\n");
}
