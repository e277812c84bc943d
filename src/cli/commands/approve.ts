/** `climax approve`: lists the calls that wait for a person, and answers them. */

import type { Command } from "@commander-js/extra-typings";
import type { Approval, ApprovalChoice, Approvals, WaitingCall } from "../../call/approvals.ts";
import { delay } from "../../async/deadline.ts";
import { ExitCode, UsageError } from "../../errors.ts";
import { say } from "../../log.ts";
import { onEndSignals } from "../../process/end_signals.ts";
import { harmless } from "../../text/escape.ts";
import { plural } from "../../text/plural.ts";
import { approver, openApprovalsOf, refuseCalled } from "../approvals.ts";
import { canAsk, choose } from "../ask.ts";
import type { CommandArguments, Example } from "../command.ts";
import { sayHint } from "../messages.ts";
import { storeOptions } from "../options.ts";
import { print, printJson, printTable, printText } from "../output.ts";

export function define(command: Command) {
  return command
    .description("Answer calls that wait for a yes, since their client cannot ask you")
    .argument(
      "[id]",
      "one waiting call; without it you are asked about all, or, without a terminal, they are listed",
    )
    .option("--yes", "allow it once: the client has ten minutes to call again")
    .option("--no", "refuse it")
    .option(
      "--session",
      "allow it and the same call until its server ends, or the store of --state",
    )
    .option("--always", "allow it, and the same call until --forget")
    .option("--list", "list waiting calls and saved answers, without asking")
    .option("--watch", "keep asking about new calls, until Ctrl-C")
    .option("--forget", "remove the answer ID, or all answers")
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

const answerTexts: Readonly<Record<ApprovalChoice, string>> = {
  yes: "Allowed once: the client has ten minutes to call again",
  no: "Refused",
  session: "Allowed until its server ends, or the store of --state, and for 12 hours at most",
  always: "Allowed until climax approve --forget",
};

const choices = Object.keys(answerTexts) as readonly ApprovalChoice[];

export async function run(...[id, options]: CommandArguments<typeof define>) {
  const { list, watch = false, forget, json = false, state } = options;
  const [choice, another] = choices.filter((each) => options[each] === true);
  if (another !== undefined) throw new UsageError(`--${choice} excludes --${another}`);
  if (choice !== undefined && (id === undefined || list || watch || forget)) {
    throw new UsageError(`--${choice} is for one call`, `climax approve ID --${choice}`);
  }
  const isAsking = canAsk() && !list && !json;
  const approvals = await openApprovalsOf(options);
  try {
    // Another machine has other processes
    const servers = state === undefined ? await approvals.waiting() : [];
    await refuseCalled(servers.map(({ pid }) => pid));
    if (forget) {
      const count = await approvals.forget(id);
      await print(`Took back ${plural(count, "answer")}`);
    } else if (choice !== undefined) await answer(approvals, id!, choice);
    else if (watch || isAsking) await follow(approvals, { id, isAsking, watch });
    else await show(approvals, json);
    return ExitCode.ok;
  } finally {
    approvals.close();
  }
}

async function answer(approvals: Approvals, id: string, choice: ApprovalChoice): Promise<void> {
  const call = await approvals.answer(id, choice, approver("climax approve"));
  if (call === undefined) {
    throw new UsageError(`No call waits as '${id}'`, "climax approve --list shows those that do");
  }
  const given = call.isOnce && choice !== "no" ? "yes" : choice;
  await printText([answerTexts[given], ...harmless(call.words).split("\n")]);
}

interface Following {
  /** Only the call with this id is listed; without it, all are. */
  readonly id?: string | undefined;
  readonly isAsking: boolean;
  readonly watch: boolean;
}

/** Asks about each call that waits, or prints it; ends when the person wants no more questions. */
async function follow(approvals: Approvals, { id, isAsking, watch }: Following): Promise<void> {
  const stop = new AbortController();
  const unlisten = onEndSignals(() => stop.abort());
  const seen = new Set<string>();
  if (watch) say("Waiting for calls; Ctrl-C ends it");
  do {
    for (const call of await approvals.waiting()) {
      if (seen.has(call.id) || (id ?? call.id) !== call.id || stop.signal.aborted) continue;
      seen.add(call.id);
      if (!isAsking) await printJson(recordOf(call), 0);
      else if (!await ask(approvals, call)) stop.abort();
    }
    if (watch) await delay(1000, stop.signal);
  } while (watch && !stop.signal.aborted);
  if (seen.size === 0 && !watch) await show(approvals, false);
  unlisten();
}

/** Returns false if the person wants no more questions. */
async function ask(approvals: Approvals, { id, client, words, since, isOnce }: WaitingCall) {
  say(`\n${harmless(`${client}, ${ageOf(since)}: ${words}`)}`);
  // Enter alone chooses the first
  const choice = await choose("Allow it?", [
    "later",
    ...choices.filter((each) => !isOnce || /^(?:yes|no)$/.test(each)),
  ]);
  if (choice === undefined || choice === "later") return choice !== undefined;
  await answer(approvals, id, choice).catch((error) => say(error.message));
  return true;
}

async function show(approvals: Approvals, json: boolean): Promise<void> {
  const [waiting, answers] = [await approvals.waiting(), await approvals.list()];
  if (json) {
    return await printJson({ waiting: waiting.map(recordOf), answers: answers.map(recordOf) });
  }
  const all = [...waiting, ...answers];
  if (waiting.length === 0) await print("No call waits for a yes");
  else sayHint("climax approve ID --yes, --no, --session or --always");
  if (all.length === 0) return;
  const rows = all.map((each) => {
    const state = "choice" in each ? `${each.choice}, by ${each.by}` : ageOf(each.since);
    return [each.id, each.tool, each.client, state].map(harmless);
  });
  const below = all.map((each) => {
    // After the tool, and the command line as a list
    const words = "words" in each ? each.words.split("\n").slice(2) : [];
    return [each.line, ...(words.length > 0 ? words : [`in ${each.directory}`])].map(harmless);
  });
  await printTable(["ID", "TOOL", "CLIENT", "SINCE, OR ANSWER"], rows, below);
  if (answers.length > 0) sayHint("climax approve ID --forget takes an answer back");
}

function recordOf(call: WaitingCall | Approval): object {
  const entries = Object.entries(call).filter(([name]) =>
    !/^(?:key|owner|session|pid)$/.test(name)
  );
  return Object.fromEntries(entries.map(([name, value]) => {
    return [name, typeof value === "number" ? new Date(value).toISOString() : value];
  }));
}

function ageOf(since: number): string {
  const minutes = Math.floor((Date.now() - since) / 60_000);
  return minutes < 1 ? "just now" : `${minutes} min ago`;
}
