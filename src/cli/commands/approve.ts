/** `climax approve`: lists the calls that wait for a person, and answers them. */

import type { Command } from "@commander-js/extra-typings";
import type { Approval, ApprovalChoice, Approvals, WaitingCall } from "../../call/approvals.ts";
import { delay } from "../../async/deadline.ts";
import { ExitCode, UsageError } from "../../errors.ts";
import { say } from "../../log.ts";
import { onEndSignals } from "../../process/end_signals.ts";
import { harmless } from "../../text/escape.ts";
import { plural } from "../../text/plural.ts";
import { approverName, openApprovalsOf, refuseCalled, storeOptions } from "../approvals.ts";
import { canAsk, choose } from "../ask.ts";
import type { CommandArguments, Example } from "../command.ts";
import { sayHint } from "../messages.ts";
import { print, printJson, printTable, printText } from "../output.ts";

export function define(command: Command) {
  return command
    .description("Answer calls that wait for a yes, since their client cannot ask you")
    .argument("[id]", "one of them; at a terminal all are asked about, else they are listed")
    .option("--yes", "allow it once: the client has ten minutes to call again")
    .option("--no", "refuse it")
    .option("--session", "allow it, and the same call until that server ends")
    .option("--always", "allow it, and the same call until --forget")
    .option("--list", "list what waits and what is allowed, and ask nothing")
    .option("--watch", "go on with those that come, until Ctrl-C")
    .option("--forget", "take back the answer ID, or all of them")
    .addOption(storeOptions.state())
    .addOption(storeOptions.signingKey())
    .option("--json", "print JSON");
}

export const examples: readonly Example[] = [
  ["approve", "answer each call that waits"],
  ["approve k3m9xp --yes", "allow one, once"],
  ["approve --list", "see what waits, and what is allowed"],
  ["approve --watch", "answer calls as they come"],
];

const choices = ["yes", "no", "session", "always"] as const;

/** Lists, answers or forgets. */
export async function run(
  ...[id, options]: CommandArguments<typeof define>
): Promise<ExitCode> {
  const { list, watch, forget, json = false, state, signingKey } = options;
  const [choice, another] = choices.filter((each) => options[each] === true);
  if (another !== undefined) throw new UsageError(`--${choice} excludes --${another}`);
  if (choice !== undefined && (id === undefined || list || watch || forget)) {
    throw new UsageError(`--${choice} is for one call`, `climax approve ID --${choice}`);
  }
  const approvals = await openApprovalsOf({ state, signingKey });
  try {
    // Another machine has other processes
    const servers = state === undefined ? await approvals.waiting() : [];
    await refuseCalled(servers.map(({ pid }) => pid));
    if (forget) return await forgetAnswers(approvals, id);
    if (choice !== undefined) return await answer(approvals, id!, choice, json);
    const isAsking = canAsk() && !list && !json;
    if (watch) return await follow(approvals, isAsking, json);
    if (isAsking) return await askAll(approvals, id);
    return await show(approvals, json, id);
  } finally {
    approvals.close();
  }
}

const said: Readonly<Record<ApprovalChoice, string>> = {
  yes: "Allowed once, if the client calls again within ten minutes",
  no: "Refused",
  session: "Allowed until that server ends",
  always: "Allowed until climax approve --forget",
};

async function answer(
  approvals: Approvals,
  id: string,
  choice: ApprovalChoice,
  json: boolean,
): Promise<ExitCode> {
  const approver = { by: approverName(), how: "climax approve" } as const;
  const answered = await approvals.answer(id, choice, approver);
  if (answered === undefined) {
    throw new UsageError(`No call waits as '${id}'`, "climax approve --list shows those that do");
  }
  if (json) await printJson({ ...callRecord(answered), choice });
  else await printText([said[choice], ...harmless(answered.words).split("\n")]);
  return ExitCode.ok;
}

async function forgetAnswers(approvals: Approvals, id: string | undefined): Promise<ExitCode> {
  const count = await approvals.forget(id);
  await print(`Took back ${plural(count, "answer")}`);
  return count === 0 && id !== undefined ? ExitCode.failure : ExitCode.ok;
}

/** Asks about each call that waits, or the one with `id`. Returns false if the person wants no more questions. */
async function askEach(approvals: Approvals, calls: readonly WaitingCall[]): Promise<boolean> {
  for (const { id, client, words, since } of calls) {
    say(`\n${harmless(`${client}, ${ageOf(since)}: ${words}`)}`);
    const chosen = await choose("Allow it?", [...choices, "later"]);
    if (chosen === undefined) return false;
    if (chosen !== "later") await answer(approvals, id, chosen, false).catch(sayProblem);
  }
  return true;
}

function sayProblem(error: unknown): void {
  if (!(error instanceof UsageError)) throw error;
  say(error.message);
}

async function askAll(approvals: Approvals, id: string | undefined): Promise<ExitCode> {
  const calls = (await approvals.waiting()).filter((each) => id === undefined || each.id === id);
  if (calls.length === 0) return await show(approvals, false, id);
  await askEach(approvals, calls);
  return ExitCode.ok;
}

/** Milliseconds between two looks. */
const lookMs = 1000;

async function follow(approvals: Approvals, isAsking: boolean, json: boolean): Promise<ExitCode> {
  const stop = new AbortController();
  const unlisten = onEndSignals(() => stop.abort());
  const seen = new Set<string>();
  if (isAsking) say("Waiting for calls; Ctrl-C ends it");
  while (!stop.signal.aborted) {
    const calls = (await approvals.waiting()).filter(({ id }) => !seen.has(id));
    for (const { id } of calls) seen.add(id);
    if (isAsking && !await askEach(approvals, calls)) break;
    if (!isAsking) {
      for (const call of calls) {
        if (json) await printJson(callRecord(call), 0);
        else await printText(`${call.id}  ${call.client}: ${call.tool}: ${call.line}`);
      }
    }
    await delay(lookMs, stop.signal);
  }
  unlisten();
  return ExitCode.ok;
}

async function show(
  approvals: Approvals,
  json: boolean,
  id: string | undefined,
): Promise<ExitCode> {
  const isMeant = (each: { readonly id: string }) => id === undefined || each.id === id;
  const waiting = (await approvals.waiting()).filter(isMeant);
  const answers = (await approvals.list()).filter(isMeant);
  if (json) {
    await printJson({
      waiting: waiting.map(callRecord),
      answers: answers.map(({ line, at, until, ...rest }) => ({
        ...{ ...rest, command: line },
        ...{ at: isoOf(at), until: isoOf(until) },
      })),
    });
    return ExitCode.ok;
  }
  if (waiting.length === 0) await print("No call waits for a yes");
  else await printCalls("AGE", waiting, ({ since }) => ageOf(since));
  if (waiting.length > 0) sayHint("climax approve ID --yes, --no, --session or --always");
  if (answers.length > 0) {
    await print("");
    await printCalls("ANSWER", answers, ({ choice, by }) => `${choice}, by ${by}`);
    sayHint("climax approve ID --forget takes one back");
  }
  return ExitCode.ok;
}

async function printCalls<Call extends WaitingCall | Approval>(
  head: string,
  calls: readonly Call[],
  lastOf: (call: Call) => string,
): Promise<void> {
  const rows = calls.map((call) => [call.id, call.tool, call.client, lastOf(call)].map(harmless));
  const below = calls.map(({ line, directory }) => [line, `in ${directory}`].map(harmless));
  await printTable(["ID", "TOOL", "CLIENT", head], rows, below);
}

function callRecord({ id, client, tool, line, words, directory, since, until }: WaitingCall) {
  const times = { since: isoOf(since), until: isoOf(until) };
  return { id, client, tool, command: line, question: words, directory, ...times };
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

function ageOf(since: number): string {
  const minutes = Math.floor((Date.now() - since) / 60_000);
  return minutes < 1 ? "just now" : `${minutes} min ago`;
}
