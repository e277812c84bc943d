/** Asks a person to confirm a call, if the policy demands it. Only an explicit yes counts. */

import { io } from "../io.ts";
import { ownFolder } from "../process/folders.ts";
import { canonicalJson } from "../text/own_property.ts";
import { sha256 } from "../text/hash.ts";
import { spellOut } from "../text/escape.ts";
import { excerpt } from "../text/excerpt.ts";
import { shellLine } from "../text/shell_word.ts";
import {
  answerMs,
  type Approval,
  type ApprovalChoice,
  approvalChoices,
  type ApprovalScope,
  type CallToApprove,
  countedAs,
} from "./approvals.ts";
import { offered, scopesOf } from "./approval_scope.ts";
import type { Confirmation, PlannedCall } from "./pipeline.ts";
import { noPolicy } from "../policy/policy_file.ts";
import type { Answer, Ask, Plan } from "../tool/runner.ts";
import {
  type CallToWord,
  callWords,
  cutLine,
  directoryOf as shownDirectory,
  formBounds,
  wholeBounds,
  type WordBounds,
} from "./question.ts";
import { climax } from "../process/own_command.ts";

interface Consent {
  readonly confirmation: Confirmation;
  readonly remember?: ApprovalChoice | undefined;
  readonly approval?: Approval | undefined;
  readonly refusal?: string;
}

/** Returns the scopes (similar calls) of `call`, and an earlier answer that decides it: a no, or a yes to a scope. */
export async function standingOf(call: PlannedCall) {
  const { approvals } = call.context;
  if (approvals === undefined) return undefined;
  const [scopes, refusalKey] = [await scopesOf(call, boundTo(call)), keyOf(call, "no")];
  const approval = await approvals.use([refusalKey, ...scopes.map(({ key }) => key)]);
  return { scopes, approval };
}

type CallToAsk =
  & Pick<PlannedCall, "context" | "options" | "tool" | "values" | "trial">
  & { readonly plan: Pick<PlannedCall["plan"], "preview" | "identity"> };

interface QuestionOptions {
  readonly standing?: Awaited<ReturnType<typeof standingOf>>;
  readonly wordsOf?: (bounds: WordBounds) => string;
  /** The text of all that a yes allows. An answer is stored under its hash. @default {@linkcode planText} */
  readonly text?: string;
  /** True if a yes allows one call only, since a later identical call could run something else. */
  readonly isOnce?: boolean;
}

/** Asks a person to confirm `call`, unless an earlier answer decides. `ask` is absent if the client cannot ask. */
export async function askConsent(
  call: CallToAsk,
  ask: Ask | undefined,
  {
    standing,
    wordsOf = (bounds) => callWords(call, bounds),
    text = planText(call),
    isOnce = countsOnce(call),
  }: QuestionOptions = {},
): Promise<Consent> {
  const { context: { approvals }, options: { signal } } = call;
  const [words, whole] = [wordsOf(formBounds), wordsOf(wholeBounds)];
  const scopes = isOnce ? [] : offered(standing?.scopes ?? []);
  const asked = {
    ...callToApprove(call, text, words),
    scopes,
    ...(whole === words ? {} : { whole }),
    ...(isOnce ? { isOnce } : {}),
  };
  const given = await approvals?.use([asked.key, asked.refusalKey]);
  if (given !== undefined) return consentOfApproval(given);
  // Meanwhile `climax approve` lists the call, where the person can read what the client's form cuts off
  const listed = ask && asked.whole !== undefined ? await approvals?.add(asked) : undefined;
  const id = listed && "id" in listed ? listed.id : undefined;
  const message = id === undefined
    ? words
    : `${words}\nAll of it: ${climax()} approve ${id} --show, or the page of ${climax()} ui`;
  let approval: Approval | undefined;
  const otherAnswer = approvals && (async (stop: AbortSignal) => {
    approval = await approvals.wait(asked, stop);
    return approval && answerOf(approval);
  });
  const remember = approvals && !isOnce ? { remember: rememberField(scopes) } : {};
  const requestedSchema = { ...yesSchema, properties: { ...yesSchema.properties, ...remember } };
  const consent = ask === undefined
    ? refuseUnasked(`the client does not support elicitation${approvals ? "" : allowedBy(call)}`)
    : consentOf(
      await ask({ mode: "form", message, requestedSchema }, undefined, text, otherAnswer),
      isOfPerson(call),
    );
  if (approvals === undefined) return consent;
  // The first answer counts, here one given by `climax approve` or on the page, even if the client has answered too
  if (approval !== undefined) return consentOfApproval(approval);
  const { confirmation } = consent;
  if (confirmation === "asked") return consent;
  const mayWait = confirmation === "not asked" || confirmation === "cancelled";
  if (mayWait && !signal?.aborted) {
    const added = await approvals.add(asked);
    if ("reason" in added) return { ...consent, refusal: `${consent.refusal}\n${added.reason}` };
    const refusal = "Call not run yet: this tool requires confirmation by a person\n" +
      `Tell them: ${climax()} approve ${added.id} (or the page of ${climax()} ui). Then make the same call again, ` +
      "with the same arguments";
    return { confirmation: "waiting", refusal };
  }
  if (id !== undefined) await approvals.remove(id);
  const choice = confirmation === "declined" ? "no" : consent.remember;
  const isAnswered = choice !== undefined && countedAs(asked, choice) === choice;
  if (!isAnswered || choice === "no" && isOfPerson(call)) return consent;
  const approver = { by: asked.client, how: "elicitation" } as const;
  return { ...consent, approval: await approvals.remember(asked, choice, approver) };
}

export async function rememberNo(call: PlannedCall): Promise<void> {
  if (isOfPerson(call)) return;
  const asked = callToApprove(call, planText(call), "");
  await call.context.approvals?.remember(asked, "no", { by: asked.client, how: "elicitation" });
}

function isOfPerson({ options: { via, owner } }: CallToAsk): boolean {
  return via === undefined && owner === undefined;
}

function countsOnce({ trial, options: { via, owner, client } }: CallToAsk): boolean {
  if (via === "http" && (owner ?? client) === undefined) return true;
  return trial !== undefined && (trial.state !== undefined || trial.outcome !== "shown");
}

export function consentOfApproval(approval: Approval): Consent {
  const consent = { ...consentOf(answerOf(approval)), approval };
  if (consent.refusal === undefined) return consent;
  const hint = `They can take that back: ${climax()} approve ${approval.id} --forget`;
  return { ...consent, refusal: `${consent.refusal}\n${hint}` };
}

function answerOf({ choice }: Approval): Answer {
  return choice === "no" ? { action: "decline" } : { action: "accept", content: { run: true } };
}

function boundTo({ context, options: { owner, client = "unknown", via } }: CallToAsk) {
  // Any client can claim a name, so an answer is also bound to how the client is connected
  const who = owner ?? [via ?? "local", client];
  return [who, io().profile ?? null, context.policyText?.() ?? null];
}

function directoryOf({ plan: { preview: { record, details } } }: CallToAsk): string {
  return String(record["cwd"] ?? details?.["cwd"] ?? ownFolder());
}

/** Returns the key of an answer: a hash of all that the answer allows (`text`), and of values that `text` masks. */
function keyOf({ trial: _, ...call }: CallToAsk, text: string): string {
  const parts = [text, text === "no" ? planText(call) : null, Object.fromEntries(call.values)];
  return sha256(canonicalJson([...parts, directoryOf(call), ...boundTo(call)]));
}

function callToApprove(call: CallToAsk, text: string, words: string): CallToApprove {
  const { tool, plan: { preview: { record, line } }, options } = call;
  const { owner, client = "unknown" } = options;
  // A client's name may have a megabyte, which takes long to escape, so it is cut before it is escaped
  const length = maxClientLength[owner === undefined ? "named" : "authenticated"];
  const shownClient = excerpt(spellOut(excerpt(client, length)), length);
  return {
    key: keyOf(call, text),
    refusalKey: keyOf(call, "no"),
    owner: sha256(JSON.stringify(boundTo(call)[0])),
    client: shownClient,
    tool: spellOut(tool.name),
    words,
    line: cutLine(shellLine(record["argv"]) ?? line, formBounds.characters),
    directory: spellOut(shownDirectory(call) ?? ownFolder()),
  };
}

const maxClientLength = { named: 64, authenticated: 256 } as const;

function allowedBy({ tool: { name, rule } }: CallToAsk): string {
  const setting = rule === noPolicy
    ? "--policy open"
    : `'confirm: false' for '${name}' in the policy`;
  return `\nAn operator can allow it with ${setting}, or use a client with elicitation`;
}

const yesSchema = {
  type: "object",
  properties: {
    run: { type: "boolean", title: "Run it", description: "Yes runs exactly this, once" },
  },
  required: ["run"],
} as const;

function rememberField(scopes: readonly ApprovalScope[]): object {
  const end = "until climax ends, or the store of its instances";
  const rows = [
    ["once", "Ask each time"],
    ["session", `Yes to this same call ${end}`],
    ...scopes.map(({ choice, words }) => [choice, `Yes to ${words}, ${end}`]),
    ["always", `Yes to this same call until ${climax()} approve --forget`],
  ];
  return {
    type: "string",
    title: "Ask again",
    description: rows.map(([choice, words]) => `${choice}: ${words}`).join("; "),
    enum: rows.map(([choice]) => choice),
    enumNames: rows.map(([, words]) => words),
    default: "once",
  };
}

const afterNo = "Do not try another way: ask the person what they want. The same call is refused " +
  `for ${answerMs.no / 60_000} minutes without a question`;

export function consentOf(answer: Answer, isOfPerson = false): Consent {
  const after = isOfPerson ? "" : `\n${afterNo}`;
  switch (answer.action) {
    case "accept": {
      const { run, remember } = answer.content ?? {};
      if (run !== true) {
        return refuseConsent("declined", `the person did not say yes${after}`);
      }
      const choices = approvalChoices.filter((each) => each !== "yes" && each !== "no");
      return { confirmation: "accepted", remember: choices.find((each) => each === remember) };
    }
    case "decline":
      return refuseConsent("declined", `the person declined it${after}`);
    case "cancel":
      return refuseConsent("cancelled", "the person closed the question without an answer");
    case "unasked":
      return refuseUnasked(answer.reason);
    case "deferred":
      return refuseConsent("asked", "it comes again with the answer of the person");
  }
}

function refuseConsent(confirmation: Confirmation, reason: string): Consent {
  return { confirmation, refusal: `Call refused: ${reason}` };
}

function refuseUnasked(reason: string): Consent {
  return refuseConsent("not asked", `this tool requires confirmation, and ${reason}`);
}

export function planText(call: CallToWord & { readonly plan: Pick<Plan, "identity"> }): string {
  const { tool: { name, effect }, plan, trial: { record: _, ...trial } = {} } = call;
  const { preview: { generated, ...preview }, identity } = plan;
  const whole = canonicalJson([name, effect ?? null, preview, identity?.() ?? null, trial]);
  return generated === undefined ? whole : whole.replaceAll(generated, "");
}

export function textOfCall(call: CallToAsk): string {
  return sha256(canonicalJson([planText(call), Object.fromEntries(call.values)]));
}
