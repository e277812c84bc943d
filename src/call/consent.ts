/**
 * A person's consent to one call, where the policy wants it. Nothing but a plain yes counts: a client
 * that cannot ask, no answer, and an answer without the yes are refusals.
 *
 * The person sees what will be run, as a value that is fixed by then; what cannot be shown whole
 * cannot be agreed to.
 */

import { spelledOut } from "../text/escape.ts";
import type { ReadyCall } from "./prepared_call.ts";
import type { Answer, Ask } from "../tool/runner.ts";
import type { ArgValues, Tool } from "../tool/tool.ts";
import type { Confirmation } from "./asked_person.ts";

/** The parts of a call that a person is shown. */
export type CallToConfirm = Pick<ReadyCall, "tool" | "plan" | "values">;

/** The answer of a person, or why there is none. */
export interface Consent {
  readonly confirmation: Confirmation;
  /** Why the call is refused; absent when it may be made. */
  readonly refusal?: string;
}

/** Characters of a call that a person can be expected to look through. */
export const maxShownLength = 10_000;

/** Asks whether `call` may be made; `ask` is absent where nobody can be asked. */
export async function askConsent(call: CallToConfirm, ask: Ask | undefined): Promise<Consent> {
  const { tool } = call;
  // What is written out is longer, and takes long to write where it is very long
  const message = shownLength(call) > maxShownLength ? undefined : questionText(call);
  if (message === undefined || message.length > maxShownLength) {
    const length = `over ${maxShownLength.toLocaleString("en-US")} characters`;
    return unasked(`what it would run has ${length}, too many to review`);
  }
  if (ask === undefined) {
    const hint =
      `An operator can allow it with 'confirm: false' for '${tool.name}' in the policy, ` +
      "or use a client with elicitation";
    return unasked(`the client does not support elicitation\n${hint}`);
  }
  const answer = await ask({ mode: "form", message, requestedSchema });
  return consentOf(answer);
}

const requestedSchema = {
  type: "object",
  properties: {
    run: { type: "boolean", title: "Run it", description: "Yes runs exactly this, once" },
  },
  required: ["run"],
} as const;

function consentOf(answer: Answer): Consent {
  switch (answer.action) {
    case "accept":
      return answer.content?.["run"] === true
        ? { confirmation: "accepted" }
        : refused("declined", "the person did not say yes");
    case "decline":
      return refused("declined", "the person declined it");
    case "cancel":
      return refused("cancelled", "the person closed the question without an answer");
    case "unasked":
      return unasked(answer.reason);
  }
}

function refused(confirmation: Confirmation, reason: string): Consent {
  return { confirmation, refusal: `Call refused: ${reason}` };
}

function unasked(reason: string): Consent {
  return {
    confirmation: "not asked",
    refusal: `Call refused: this tool requires confirmation, and ${reason}`,
  };
}

/** Characters of what would be run, before any is written out. */
function shownLength({ plan: { preview: shown } }: CallToConfirm): number {
  return shown.line.length + (shown.input?.length ?? 0);
}

/** What the person is asked: the tool, its own question, and everything that will be run. */
function questionText({ tool, plan, values }: CallToConfirm): string {
  const { record, details, line, input } = plan.preview;
  const cwd = record["cwd"] ?? details?.["cwd"];
  const effect = tool.effect === undefined ? "its effect is not known" : tool.effect;
  return [
    `An agent wants to call ${spelledOut(tool.name)} (${effect}):`,
    spelledOut(line),
    ...(typeof cwd === "string" ? [`in the directory ${spelledOut(cwd)}`] : []),
    ...(input === undefined ? [] : [`with this on its standard input: ${spelledOut(input)}`]),
    ...(tool.question === undefined ? [] : [ownQuestion(tool, values)]),
  ].join("\n");
}

/** The tool's own question, with the values of its arguments in the places of their names. */
function ownQuestion({ question = "", args }: Tool, values: ArgValues): string {
  const secret = new Set(args.filter((arg) => arg.constraint?.secret).map(({ name }) => name));
  const filled = question.replaceAll(/\{([\p{L}\p{N}_.-]+)\}/gu, (written, name) => {
    const value = values.get(name);
    if (value === undefined) return written;
    return secret.has(name) ? "***" : JSON.stringify(value);
  });
  return spelledOut(filled);
}
