/** The answer to a call that is not run: its text for the agent, another for logs, and the rule that decided. */

import type { Objection } from "../policy/check.ts";
import { argumentStage } from "../tool/runner.ts";
import { signatureOf, takesWords } from "../tool/signature.ts";
import type { Tool } from "../tool/tool.ts";

export interface RefusedCall {
  readonly ok: false;
  /** The text that the agent reads. */
  readonly text: string;
  /** The text for logs, without the values of a tool that has secrets. */
  readonly shownText: string;
  /** `unknown tool`, `absent server`, `withheld tool`, `arguments`, or the path of a rule in the policy. */
  readonly rule: string;
  /** The tool, if its arguments were wrong. */
  readonly tool?: Tool;
  /** True if the last reason is a key that no argument has. */
  readonly endsUnknown?: boolean;
}

export function isRefused(step: object): step is RefusedCall {
  return "ok" in step && step.ok === false;
}

/** Adds what the tool takes, for an agent that has guessed. */
export function withSignature(refused: RefusedCall): RefusedCall {
  const { tool, text, endsUnknown } = refused;
  if (tool === undefined) return refused;
  const takes = endsUnknown ? `. ${takesWords(tool)}` : `\nTakes: ${signatureOf(tool)}`;
  return { ...refused, text: text + takes };
}

/** Refuses with a text that has no secrets. */
export function refusal(text: string, rule: string): RefusedCall {
  return { ok: false, text, shownText: text, rule };
}

/** Refuses a call of `tool` at `stage`. Logs do not get the reasons if the tool has secrets. */
export function refuse(
  tool: Tool,
  { stage, reasons, rule, endsUnknown = false }: {
    readonly stage: string;
    readonly reasons: readonly string[];
    readonly rule: string;
    readonly endsUnknown?: boolean;
  },
): RefusedCall {
  const text = refusalText(stage, reasons);
  const shownText = hasSecrets(tool)
    ? `${stage} failed: not shown, for the tool has secrets`
    : text;
  return {
    ok: false,
    text,
    shownText,
    rule,
    ...(stage === argumentStage ? { tool, endsUnknown } : {}),
  };
}

/** Refuses the values of arguments; the name of each rule starts with `origin`, its path in a file. */
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
  // An argument that a server named with line breaks must not start a line
  const lines = reasons.map((reason) => `  - ${reason.replaceAll("\n", "\n    ")}`);
  return [`${stage} failed:`, ...lines].join("\n");
}

function hasSecrets({ args }: Tool): boolean {
  return args.some(({ constraint }) => constraint?.secret);
}
