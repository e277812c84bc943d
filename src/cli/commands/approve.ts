/** `climax approve`: lists the calls that wait for a person, and answers them. */

import type { Command } from "@commander-js/extra-typings";
import {
  type Approval,
  type ApprovalChoice,
  type Approvals,
  countedAs,
  type WaitingCall,
} from "../../call/approvals.ts";
import { delay } from "../../async/deadline.ts";
import { ExitCode, UsageError } from "../../errors.ts";
import { say } from "../../log.ts";
import { harmless } from "../../text/escape.ts";
import { plural } from "../../text/plural.ts";
import { approver, openApprovalsOf, refuseCalled } from "../approvals.ts";
import { canAsk, choose } from "../ask.ts";
import type { CommandArguments, Example } from "../command.ts";
import { withOptions } from "../options.ts";
import { print, printJson, printTable, printText, sayHint } from "../output.ts";
import { climax } from "../../process/own_command.ts";

export function define(command: Command) {
  return withOptions(
    command
      .description("Answer calls that wait for your yes")
      .argument(
        "[id]",
        "one waiting call; without it you are asked about all, or, without a terminal, they are listed",
      )
      .option("-y, --yes", "allow it once: the client has ten minutes to call again")
      .option("--no", "refuse it for ten minutes")
      .option(
        "--session [folder|tool]",
        "allow it, and the same call until its server ends (12 hours at most); with folder or tool, also the calls that --show names",
      )
      .option("--always", "allow it, and the same call until --forget (a year at most)")
      .option("--show", "print the whole question, and what folder and tool allow")
      .option("--list", "list waiting calls and saved answers, without asking")
      .option("--follow", "keep asking about new calls, until Ctrl-C")
      .option("--forget", "remove the answer ID, or all answers"),
    ...["state", "signingKey", "json"] as const,
  );
}

export const examples: readonly Example[] = [
  ["approve", "answer each call that waits"],
  ["approve k3m9xp --yes", "allow one, once"],
  ["approve --list", "see what waits, and what is allowed"],
  ["approve --follow", "answer calls as they come"],
];

const answerTexts: Readonly<Record<ApprovalChoice, string>> = {
  yes: "Allowed once: the client has ten minutes to call again",
  no: "Refused",
  session:
    "Allowed until the server that calls next ends, or the store of --state, and for 12 hours at most",
  folder: "Allowed with all in its folder, as long as with 'session'",
  tool: "Allowed with all that its tool may use, as long as with 'session'",
  always: "Allowed until you take it back, with --forget",
};

const choices = Object.keys(answerTexts) as readonly ApprovalChoice[];

export async function run(...[named, options]: CommandArguments<typeof define>) {
  const { list, follow: watch = false, forget, show: whole, json = false, state, session } =
    options;
  const given = (["yes", "no", "session", "always"] as const).filter((each) => options[each]);
  if (given.length > 1) throw new UsageError(`--${given[0]} excludes --${given[1]}`);
  const scope = session === "folder" || session === "tool" ? session : undefined;
  const choice = scope ?? given[0];
  const id = named ?? (typeof session === "string" && scope === undefined ? session : undefined);
  const single = given[0] ?? (whole && "show");
  if (single && (id === undefined || list || watch || forget)) {
    throw new UsageError(`--${single} is for one call`, `${climax()} approve ID --${single}`);
  }
  const isAsking = canAsk() && !list && !json;
  const approvals = await openApprovalsOf(options);
  try {
    // With `--state`, servers may run on other machines, whose process ids mean nothing here, so these are not compared
    const servers = state === undefined ? await approvals.waiting() : [];
    await refuseCalled(servers.map(({ pid }) => pid));
    if (id !== undefined && !watch && !forget) await find(approvals, id);
    if (forget) {
      const count = await approvals.forget(id);
      if (count === 0 && id !== undefined) {
        throw new UsageError(`No answer has the ID '${id}'`, `${climax()} approve --list has them`);
      }
      await print(`Took back ${plural(count, "answer")}`);
    } else if (choice !== undefined) await answer(approvals, id!, choice);
    else if (whole) {
      const call = await find(approvals, id!);
      await printText(linesOf(call, call.whole));
    } else if (watch || isAsking) await follow(approvals, { id, isAsking, watch });
    else await show(approvals, json);
    return ExitCode.ok;
  } finally {
    approvals.close();
  }
}

async function answer(approvals: Approvals, id: string, choice: ApprovalChoice): Promise<void> {
  const call = await find(approvals, id);
  if (!offeredFor(call).includes(choice)) {
    const hint = `Its answers: ${offeredFor(call).join(", ")}`;
    throw new UsageError(`'${choice}' is not offered for '${id}'`, hint);
  }
  if (await approvals.answer(id, choice, approver("climax approve")) === undefined) noneWaits(id);
  await printText([answerTexts[choice], ...harmless(call.words).split("\n")]);
}

async function find(approvals: Approvals, id: string): Promise<WaitingCall> {
  return (await approvals.waiting()).find((each) => each.id === id) ?? noneWaits(id);
}

function noneWaits(id: string): never {
  throw new UsageError(`No call waits as '${id}'`, `${climax()} approve --list shows what does`);
}

function offeredFor(call: WaitingCall): ApprovalChoice[] {
  return choices.filter((each) => countedAs(call, each) === each);
}

function linesOf(call: WaitingCall, text = call.words): string[] {
  const scopes = call.scopes?.map(({ choice, words }) => `${choice} allows ${words}`) ?? [];
  return harmless([text, ...scopes].join("\n")).split("\n");
}

async function follow(
  approvals: Approvals,
  { id, isAsking, watch }: {
    readonly id: string | undefined;
    readonly isAsking: boolean;
    readonly watch: boolean;
  },
): Promise<void> {
  const seen = new Set<string>();
  let isLeft = false;
  if (watch) say("Waiting for calls; Ctrl-C ends it");
  do {
    for (const call of await approvals.waiting()) {
      if (seen.has(call.id) || (id ?? call.id) !== call.id || isLeft) continue;
      seen.add(call.id);
      if (!isAsking) await printJson(recordOf(call), 0);
      else isLeft = !await ask(approvals, call);
    }
    if (watch) await delay(1000);
  } while (watch && !isLeft);
  if (seen.size === 0 && !watch) await show(approvals, false);
}

/** Asks the person about one call. Returns false if the person wants no more questions. */
async function ask(approvals: Approvals, call: WaitingCall): Promise<boolean> {
  const { id, client, since, whole } = call;
  say(`\n${harmless(client)}, ${ageOf(since)}: ${linesOf(call).join("\n")}`);
  // Enter alone chooses the first choice, so `later` is first
  const shown = whole === undefined ? [] : ["show" as const];
  const choice = await choose("Allow it?", ["later", ...offeredFor(call), ...shown]);
  if (choice === "show") {
    await printText(linesOf(call, whole));
    return await ask(approvals, { ...call, words: "" });
  }
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
  else sayHint(`${climax()} approve ID --yes, --no, --session [folder|tool], --always or --show`);
  if (all.length === 0) return;
  const rows = all.map((each) => {
    const state = "choice" in each ? `${each.choice}, by ${each.by}` : ageOf(each.since);
    return [each.id, each.tool, each.client, state].map(harmless);
  });
  const below = all.map((each) => {
    return "words" in each ? linesOf(each) : [each.line, `in ${each.directory}`].map(harmless);
  });
  await printTable(["ID", "TOOL", "CLIENT", "SINCE, OR ANSWER"], rows, below);
  if (answers.length > 0) sayHint(`${climax()} approve ID --forget takes an answer back`);
}

function recordOf(call: WaitingCall | Approval): object {
  return JSON.parse(JSON.stringify(call, (name, value) => {
    if (/^(?:key|refusalKey|owner|pid)$/.test(name)) return undefined;
    return typeof value === "number" ? new Date(value).toISOString() : value;
  }));
}

function ageOf(since: number): string {
  const minutes = Math.floor((Date.now() - since) / 60_000);
  return minutes < 1 ? "just now" : `${minutes} min ago`;
}
