/** Asks a person to confirm a call, if the policy demands it. Only an explicit yes to the whole call counts. */

import { io } from "../io.ts";
import { ownFolder } from "../process/folders.ts";
import { canonicalJson } from "../text/own_property.ts";
import { sha256 } from "../text/hash.ts";
import { spellOut } from "../text/escape.ts";
import { excerpt } from "../text/excerpt.ts";
import { shellLine } from "../text/shell_word.ts";
import { type Approval, type ApprovalChoice, type CallToApprove } from "./approvals.ts";
import type { Confirmation, PlannedCall, ReadyCall, Trial } from "./pipeline.ts";
import { noPolicy } from "../policy/policy_file.ts";
import { type Answer, type Ask, type SandboxRecord, sandboxWords } from "../tool/runner.ts";
import type { ArgValues, Tool } from "../tool/tool.ts";

type CallToConfirm =
  & Pick<ReadyCall, "tool" | "plan" | "values">
  & Pick<PlannedCall, "trial">;

interface Consent {
  readonly confirmation: Confirmation;
  /** Present if the person said yes to more calls than this one. */
  readonly remember?: ApprovalChoice | undefined;
  /** The answer, if it is remembered. */
  readonly approval?: Approval | undefined;
  /** The refusal; absent if the call may run. */
  readonly refusal?: string;
}

/** Most characters that a person can be expected to review. */
export const maxShownLength = 10_000;

/** Asks a person to confirm `call`, unless one has answered already; `ask` is absent if the client cannot ask. */
export async function askConsent(call: PlannedCall, ask: Ask | undefined): Promise<Consent> {
  const { context: { approvals }, tool, options: { signal } } = call;
  const words = callWords(call);
  const message = words && `An agent wants to call ${words}`;
  const question = { message, planText: planText(call) };
  if (approvals === undefined || !isReviewable(message)) {
    const allowed = tool.rule === noPolicy
      ? "--policy open"
      : `'confirm: false' for '${tool.name}' in the policy`;
    return await askAbout({ ...question, allowed }, ask);
  }
  const isOnce = countsOnce(call);
  const asked = { ...callToApprove(call, message), ...(isOnce ? { isOnce } : {}) };
  const given = await approvals.use(asked.key);
  if (given !== undefined) return { ...consentOf(answerOf(given)), approval: given };
  let approval: Approval | undefined;
  const otherAnswer = async (stop: AbortSignal) => {
    approval = await approvals.wait(asked, stop);
    return approval && answerOf(approval);
  };
  const consent = await askAbout({ ...question, otherAnswer, isOnce }, ask);
  // The other answer was the first, even if the client has answered too
  if (approval !== undefined) return { ...consentOf(answerOf(approval)), approval };
  const { confirmation, remember } = consent;
  if (remember !== undefined && !isOnce) {
    const approver = { by: asked.client, how: "elicitation" } as const;
    return { ...consent, approval: await approvals.remember(asked, remember, approver) };
  }
  const mayWait = confirmation === "not asked" || confirmation === "cancelled";
  if (!mayWait || signal?.aborted) return consent;
  const added = await approvals.add(asked);
  if ("reason" in added) return { ...consent, refusal: `${consent.refusal}\n${added.reason}` };
  const refusal = "Call not run yet: this tool requires confirmation by a person\n" +
    `Tell them: climax approve ${added.id} (or the page of climax ui). Then make the same call again, ` +
    "with the same arguments";
  return { confirmation: "waiting", refusal };
}

/** True if a yes cannot be for later calls: they could run another thing. */
function countsOnce({ trial }: PlannedCall): boolean {
  return trial !== undefined && (trial.state !== undefined || trial.outcome !== "shown");
}

function answerOf({ choice }: Approval): Answer {
  return choice === "no" ? { action: "decline" } : { action: "accept", content: { run: true } };
}

function callToApprove(call: PlannedCall, words: string): CallToApprove {
  const { context, tool, plan: { preview }, values, options } = call;
  const { owner, client = "unknown", via = "local" } = options;
  const { record, details, line } = preview;
  const directory = String(record["cwd"] ?? details?.["cwd"] ?? ownFolder());
  // The plan text masks these values, and the yes is valid for them only
  const secrets = Object.fromEntries(values);
  // Clients that give themselves a name are distinguished by their connection
  const who = owner ?? [via, client];
  const bound = [planText(call), secrets, who, io().profile ?? null, directory];
  const key = sha256(canonicalJson([...bound, context.policyText?.() ?? null]));
  const shown = spellOut(shellLine(record["argv"]) ?? line);
  const name = spellOut(tool.name);
  // The name may have a megabyte, which takes long to spell out
  const length = maxClientLength[owner === undefined ? "named" : "authenticated"];
  const shownClient = excerpt(spellOut(excerpt(client, length)), length);
  return {
    key,
    owner: sha256(JSON.stringify(who)),
    client: shownClient,
    tool: name,
    words,
    line: shown,
    directory: spellOut(directory),
  };
}

/** Most characters of what a client calls itself; the names of authenticated ones have fewer. */
const maxClientLength = { named: 64, authenticated: 256 } as const;

interface ConsentQuestion {
  readonly message: string | undefined;
  /** The text of the plan, to which a yes is bound. */
  readonly planText: string;
  /** The setting by which an operator allows the call without a question. */
  readonly allowed?: string;
  /** Waits for an answer that does not come from the client; absent if only the client can answer. */
  readonly otherAnswer?: Parameters<Ask>[3];
  /** The answer is for this call only. */
  readonly isOnce?: boolean;
}

/** Asks a person to say yes to `message`. */
export async function askAbout(
  { message, planText, allowed, otherAnswer, isOnce }: ConsentQuestion,
  ask: Ask | undefined,
): Promise<Consent> {
  if (!isReviewable(message)) {
    const length = `over ${maxShownLength.toLocaleString("en-US")} characters`;
    return consentUnasked(`what it would run has ${length}, too many to review`);
  }
  if (ask === undefined) {
    const other = allowed && `An operator can allow it with ${allowed}, or use`;
    const hint = otherAnswer ? "" : `\n${other ?? "Use"} a client with elicitation`;
    return consentUnasked(`the client does not support elicitation${hint}`);
  }
  const requestedSchema = otherAnswer && !isOnce
    ? { ...yesSchema, properties: { ...yesSchema.properties, remember } }
    : yesSchema;
  const form = { mode: "form", message, requestedSchema } as const;
  return consentOf(await ask(form, undefined, planText, otherAnswer));
}

function isReviewable(message: string | undefined): message is string {
  return message !== undefined && message.length <= maxShownLength;
}

const yesSchema = {
  type: "object",
  properties: {
    run: { type: "boolean", title: "Run it", description: "Yes runs exactly this, once" },
  },
  required: ["run"],
} as const;

const remember = {
  type: "string",
  title: "Ask again",
  description:
    "once: ask each time; session: not for this same call until climax ends, or the store of its instances; always: not until climax approve --forget",
  enum: ["once", "session", "always"],
  default: "once",
} as const;

export function consentOf(answer: Answer): Consent {
  switch (answer.action) {
    case "accept": {
      const { run, remember } = answer.content ?? {};
      if (run !== true) return refuseConsent("declined", "the person did not say yes");
      const choices = ["session", "always"] as const;
      return { confirmation: "accepted", remember: choices.find((each) => each === remember) };
    }
    case "decline":
      return refuseConsent("declined", "the person declined it");
    case "cancel":
      return refuseConsent("cancelled", "the person closed the question without an answer");
    case "unasked":
      return consentUnasked(answer.reason);
    case "deferred":
      return refuseConsent("asked", "it comes again with the answer of the person");
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

/**
 * Returns the text of a call's plan. It is the same at every instance with the same configs and policy, and for
 * every plan of the call.
 */
export function planText(call: CallToConfirm): string {
  const { preview: { generated, ...preview }, identity } = call.plan;
  const bound = [identity?.() ?? null, call.trial?.state ?? null];
  const text = canonicalJson([callWords(call) ?? null, preview, ...bound]);
  return generated === undefined ? text : text.replaceAll(generated, "");
}

/**
 * Describes a call to a person: the tool, everything that will be run, and the question of the config; nothing if
 * that is too long.
 */
export function callWords(call: CallToConfirm): string | undefined {
  const { tool, plan, values, trial } = call;
  const { record, details, line, input, variables = [] } = plan.preview;
  // The words are longer than their parts, and very long ones take long to write
  const parts = [line, input, trial?.text, ...variables];
  if (parts.join("").length > maxShownLength) return undefined;
  const cwd = record["cwd"] ?? details?.["cwd"];
  const effect = tool.effect === undefined ? "its effect is not known" : tool.effect;
  return [
    `${spellOut(tool.name)} (${effect}):`,
    spellOut(line),
    ...(typeof cwd === "string" ? [`in the directory ${spellOut(cwd)}`] : []),
    ...(variables.length === 0 ? [] : ["with the variables:", ...variables.flatMap(linesOf)]),
    ...confinementOf(call),
    ...(input === undefined ? [] : ["with this on its standard input:", ...linesOf(input)]),
    ...trialWords(trial),
    ...(tool.question === undefined ? [] : [configQuestion(tool, values)]),
  ].join("\n");
}

function trialWords({ outcome, text = "", saidBy }: Trial = {}): string[] {
  switch (outcome) {
    case "shown":
      return saidBy === undefined
        ? ["which would do this:", ...linesOf(text)]
        : [`${spellOut(saidBy)} says that it would do this:`, ...linesOf(text)];
    case "failed":
      return ["What it would do is not known, for the trial failed:", ...linesOf(text)];
    case "withheld":
      return [`What it would do is not shown: ${text}`];
    default:
      return [];
  }
}

/** Says what confines the project's code that the call runs. */
function confinementOf({ tool: { confinement }, plan }: CallToConfirm): string[] {
  const sandbox = plan.preview.record["sandbox"] as SandboxRecord | undefined;
  if (confinement === undefined) return [];
  return [spellOut(sandbox ? `In a sandbox: ${sandboxWords(sandbox)}` : confinement)];
}

/** Marks each line of `text`, so that none looks like a line of the question. */
function linesOf(text: string): string[] {
  return text.split("\n").map((line) => `| ${spellOut(line)}`);
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
