/** Asks a person to confirm a call, if the policy demands it. Only an explicit yes to the whole call counts. */

import { canonicalJson } from "../text/canonical_json.ts";
import { spellOut } from "../text/escape.ts";
import type { Confirmation, PlannedCall, ReadyCall } from "./pipeline.ts";
import type { Answer, Ask } from "../tool/runner.ts";
import type { ArgValues, Tool } from "../tool/tool.ts";

type CallToConfirm = Pick<ReadyCall, "tool" | "plan" | "values"> & Pick<PlannedCall, "trial">;

interface Consent {
  readonly confirmation: Confirmation;
  /** The refusal; absent if the call may run. */
  readonly refusal?: string;
}

/** Most characters that a person can be expected to review. */
export const maxShownLength = 10_000;

/** Asks a person to confirm `call`; `ask` is absent if the client cannot ask. */
export async function askConsent(call: CallToConfirm, ask: Ask | undefined): Promise<Consent> {
  const words = callWords(call);
  return await askAbout({
    message: words && `An agent wants to call ${words}`,
    subject: subjectOf(call),
    key: `'confirm: false' for '${call.tool.name}'`,
  }, ask);
}

interface ConsentQuestion {
  readonly message: string | undefined;
  /** All that a yes allows. */
  readonly subject: string;
  /** The key of the policy that asks. */
  readonly key?: string;
}

/** Asks a person `message`. */
export async function askAbout(
  { message, subject, key }: ConsentQuestion,
  ask: Ask | undefined,
): Promise<Consent> {
  if (message === undefined || message.length > maxShownLength) {
    const length = `over ${maxShownLength.toLocaleString("en-US")} characters`;
    return consentUnasked(`what it would run has ${length}, too many to review`);
  }
  if (ask === undefined) {
    const hint = key === undefined
      ? "Use a client with elicitation"
      : `An operator can allow it with ${key} in the policy, or use a client with elicitation`;
    return consentUnasked(`the client does not support elicitation\n${hint}`);
  }
  return consentOf(await ask({ mode: "form", message, requestedSchema }, undefined, subject));
}

const requestedSchema = {
  type: "object",
  properties: {
    run: { type: "boolean", title: "Run it", description: "Yes runs exactly this, once" },
  },
  required: ["run"],
} as const;

export function consentOf(answer: Answer): Consent {
  switch (answer.action) {
    case "accept":
      return answer.content?.["run"] === true
        ? { confirmation: "accepted" }
        : refuseConsent("declined", "the person did not say yes");
    case "decline":
      return refuseConsent("declined", "the person declined it");
    case "cancel":
      return refuseConsent("cancelled", "the person closed the question without an answer");
    case "unasked":
      return consentUnasked(answer.reason);
    case "deferred":
      return refuseConsent(
        "asked",
        "it waits for the answer of the person, and comes again with it",
      );
  }
}

function refuseConsent(confirmation: Confirmation, reason: string): Consent {
  return { confirmation, refusal: `Call refused: ${reason}` };
}

function consentUnasked(reason: string): Consent {
  return {
    confirmation: "not asked",
    refusal: `Call refused: this tool requires confirmation, and ${reason}`,
  };
}

/** What `call` is, as every instance with the same configs and policy has it, and every plan of it. */
export function subjectOf(call: CallToConfirm): string {
  const { preview: { generated, ...preview } } = call.plan;
  const text = canonicalJson([callWords(call) ?? null, preview]);
  return generated === undefined ? text : text.replaceAll(generated, "");
}

/** Characters of the preview, before escapes. */
function lengthOfPreview({ plan: { preview }, trial = "" }: CallToConfirm): number {
  return preview.line.length + (preview.input?.length ?? 0) + trial.length;
}

/** A call for a person: the tool, everything that will be run, and the question of the config; nothing if too long. */
export function callWords(call: CallToConfirm): string | undefined {
  // The words are longer than their parts, and very long ones take long to write
  if (lengthOfPreview(call) > maxShownLength) return undefined;
  const { tool, plan, values, trial } = call;
  const { record, details, line, input } = plan.preview;
  const cwd = record["cwd"] ?? details?.["cwd"];
  const effect = tool.effect === undefined ? "its effect is not known" : tool.effect;
  return [
    `${spellOut(tool.name)} (${effect}):`,
    spellOut(line),
    ...(typeof cwd === "string" ? [`in the directory ${spellOut(cwd)}`] : []),
    ...(input === undefined ? [] : [`with this on its standard input: ${spellOut(input)}`]),
    ...(trial === undefined
      ? []
      : ["which would do this:", ...trial.split("\n").map((line) => `| ${spellOut(line)}`)]),
    ...(tool.question === undefined ? [] : [configQuestion(tool, values)]),
  ].join("\n");
}

function configQuestion({ question = "", args }: Tool, values: ArgValues): string {
  const secret = new Set(args.filter((arg) => arg.constraint?.secret).map(({ name }) => name));
  const filled = question.replaceAll(/\{([\p{L}\p{N}_.-]+)\}/gu, (written, name) => {
    const value = values.get(name);
    if (value === undefined) return written;
    return secret.has(name) ? "***" : JSON.stringify(value);
  });
  return spellOut(filled);
}
