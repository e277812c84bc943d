/** `climax approve`: lists the calls that wait for a person, and answers them. */

import type { Command } from "@commander-js/extra-typings";
import type { Approval, Approvals, WaitingCall } from "../../call/approvals.ts";
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
    .argument("[id]", "one of them; at a terminal you are asked about all, else they are listed")
    .option("--yes", "allow it once: the client has ten minutes to call again")
    .option("--no", "refuse it")
    .option("--session", "allow it, and the same call until its server ends")
    .option("--always", "allow it, and the same call until --forget")
    .option("--list", "list what waits and what is allowed, and ask nothing")
    .option("--watch", "go on with the calls that come, until Ctrl-C")
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

const said = {
  yes: "Allowed once: the client has ten minutes to call again",
  no: "Refused",
  session: "Allowed until its server ends",
  always: "Allowed until climax approve --forget",
} as const;

type Choice = keyof typeof said;

const choices = Object.keys(said) as readonly Choice[];

/** Lists, answers or forgets. */
export async function run(
  ...[id, options]: CommandArguments<typeof define>
): Promise<ExitCode> {
  const { list, watch = false, forget, json = false, state } = options;
  const [choice, another] = choices.filter((each) => options[each] === true);
  if (another !== undefined) throw new UsageError(`--${choice} excludes --${another}`);
  if (choice !== undefined && (id === undefined || list || watch || forget)) {
    throw new UsageError(`--${choice} is for one call`, `climax approve ID --${choice}`);
  }
  const approvals = await openApprovalsOf(options);
  try {
    // Another machine has other processes
    const servers = state === undefined ? await approvals.waiting() : [];
    await refuseCalled(servers.map(({ pid }) => pid));
    if (forget) {
      const count = await approvals.forget(id);
      await print(`Took back ${plural(count, "answer")}`);
    } else if (choice !== undefined) await answer(approvals, id!, choice);
    else if (watch) await follow(approvals, { isAsking: canAsk() && !json, json });
    else if (!canAsk() || list || json) await show(approvals, json);
    else await askAll(approvals, id);
    return ExitCode.ok;
  } finally {
    approvals.close();
  }
}

async function answer(approvals: Approvals, id: string, choice: Choice): Promise<void> {
  const approver = { by: approverName(), how: "climax approve" } as const;
  const call = await approvals.answer(id, choice, approver);
  if (call === undefined) {
    throw new UsageError(`No call waits as '${id}'`, "climax approve --list shows those that do");
  }
  await printText([said[choice], ...harmless(call.words).split("\n")]);
}

async function askAll(approvals: Approvals, id: string | undefined): Promise<void> {
  const calls = (await approvals.waiting()).filter((each) => id === undefined || each.id === id);
  if (calls.length === 0) await show(approvals, false);
  for (const call of calls) if (!await ask(approvals, call)) break;
}

/** Asks about a call. Returns false if the person wants no more questions. */
async function ask(
  approvals: Approvals,
  { id, client, words, since }: WaitingCall,
): Promise<boolean> {
  say(`\n${harmless(`${client}, ${ageOf(since)}: ${words}`)}`);
  const choice = await choose("Allow it?", [...choices, "later"]);
  if (choice === undefined || choice === "later") return choice !== undefined;
  await answer(approvals, id, choice).catch((error) => say(error.message));
  return true;
}

async function follow(
  approvals: Approvals,
  { isAsking, json }: { readonly isAsking: boolean; readonly json: boolean },
): Promise<void> {
  const stop = new AbortController();
  const unlisten = onEndSignals(() => stop.abort());
  const seen = new Set<string>();
  say("Waiting for calls; Ctrl-C ends it");
  while (!stop.signal.aborted) {
    for (const call of await approvals.waiting()) {
      if (seen.has(call.id)) continue;
      seen.add(call.id);
      if (json) await printJson(recordOf(call), 0);
      else if (!isAsking) await printText(`${call.id}  ${call.client}: ${call.tool}: ${call.line}`);
      else if (!await ask(approvals, call)) stop.abort();
    }
    await delay(1000, stop.signal);
  }
  unlisten();
}

async function show(approvals: Approvals, json: boolean): Promise<void> {
  const [waiting, answers] = [await approvals.waiting(), await approvals.list()];
  if (json) {
    return await printJson({ waiting: waiting.map(recordOf), answers: answers.map(recordOf) });
  }
  if (waiting.length === 0) await print("No call waits for a yes");
  else {
    await printCalls("AGE", waiting, ({ since }) => ageOf(since));
    sayHint("climax approve ID --yes, --no, --session or --always");
  }
  if (answers.length === 0) return;
  await printCalls("ANSWER", answers, ({ choice, by }) => `${choice}, by ${by}`);
  sayHint("climax approve ID --forget takes one back");
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

function recordOf(call: WaitingCall | Approval): object {
  const entries = Object.entries(call).filter(([name]) => !/^(?:key|session|pid)$/.test(name));
  return Object.fromEntries(entries.map(([name, value]) => {
    return [name, typeof value === "number" ? new Date(value).toISOString() : value];
  }));
}

function ageOf(since: number): string {
  const minutes = Math.floor((Date.now() - since) / 60_000);
  return minutes < 1 ? "just now" : `${minutes} min ago`;
}
