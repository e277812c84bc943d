/** `climax log`: prints what agents called, from the activity log of all clients. */

import type { Command } from "@commander-js/extra-typings";
import { delay } from "../../async/deadline.ts";
import { activityPath } from "../../call/audit_log.ts";
import {
  CallHistory,
  dayOf,
  fieldText,
  historyFilter,
  type RecordedCall,
} from "../../call/call_history.ts";
import { ExitCode, FileError } from "../../errors.ts";
import { io } from "../../io.ts";
import { say } from "../../log.ts";
import { climax } from "../../process/own_command.ts";
import { auditOptions } from "../../process/environment.ts";
import { onEndSignals } from "../../process/end_signals.ts";
import { type Colour, columnsOf, paint } from "../../terminal.ts";
import { harmless, inOneLine } from "../../text/escape.ts";
import { isObject } from "../../text/own_property.ts";
import { plural } from "../../text/plural.ts";
import { cellWidth } from "../../text/wrap.ts";
import type { CommandArguments, Example } from "../command.ts";
import { sharedOptions, withOptions } from "../options.ts";
import { cutToWidth, print, printJson, sayHint } from "../output.ts";

export function define(command: Command) {
  return withOptions(
    command
      .description("Print what agents of all clients called, the last call last")
      .argument(
        "[filter...]",
        "words of a call, or client=, tool= (with *), effect=, outcome=, since= (30m, 12h, 7d, a date)",
      )
      .option("--follow", "keep printing new calls, until Ctrl-C")
      .addOption(sharedOptions().audit.hideHelp()),
    "json",
  );
}

export const examples: readonly Example[] = [
  ["log", "the last 50 calls"],
  ["log --follow client=cursor", "watch one client"],
  ["log outcome=refused since=7d", "what was refused in a week"],
  ["log effect=destructive tool=git_*", "what could not be undone"],
];

/** At most this many calls are printed, unless `since=` or `--json` is given. */
const mostCalls = 50;

export async function run(...[words, options]: CommandArguments<typeof define>) {
  const { follow = false, json = false } = options;
  const { audit } = auditOptions(options.audit);
  const isWanted = historyFilter(words);
  const path = audit ?? activityPath();
  if (path === undefined) {
    const message = "No folder is known for the activity log";
    throw new FileError("There is no log", { message, hint: "Set HOME or CLIMAX_STATE_DIR" });
  }
  const history = new CallHistory(path, { isPrivate: audit === undefined });
  const read = async () => {
    await history.refresh();
    if (history.problem === undefined) return history.calls.filter(isWanted);
    throw new FileError("The log cannot be read", { file: path, message: history.problem });
  };
  const printCall = json ? ({ entry }: RecordedCall) => printJson(entry, 0) : linePrinter();
  const all = await read();
  const isWhole = json || words.some((word) => word.startsWith("since="));
  const shown = isWhole ? all : all.slice(-mostCalls);
  const left = all.length - shown.length;
  if (left > 0) say(`Not shown: ${plural(left, "earlier call")}; since=30d shows all`);
  for (const call of shown) await printCall(call);
  if (history.broken > 0) {
    say(`Left out: ${plural(history.broken, "line")} that climax did not write`);
  }
  if (history.calls.length === 0) {
    say(`No calls yet: ${path}`);
    sayHint(`${climax()} connect CLIENT: its calls are then here`);
  } else if (shown.length === 0) say(`No call matches '${words.join(" ")}'`);
  if (follow) await followCalls(read, new Set(all.map(({ text }) => text)), printCall);
  return ExitCode.ok;
}

/** Prints each new call until Ctrl-C. `known` has the texts of the calls that were recorded before. */
async function followCalls(
  read: () => Promise<readonly RecordedCall[]>,
  known: Set<string>,
  printCall: (call: RecordedCall) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const unlisten = onEndSignals(() => stop.abort());
  while (!stop.signal.aborted) {
    await delay(500, stop.signal);
    const now = await read();
    for (const call of now) if (!known.has(call.text)) await printCall(call);
    known = new Set(now.map(({ text }) => text));
  }
  unlisten();
}

const colours: Readonly<Partial<Record<RecordedCall["outcome"], Colour>>> = {
  ...{ done: "green", failed: "red", refused: "yellow", waiting: "yellow" },
};

const columns: readonly [
  head: string,
  width: number,
  from: number,
  textOf: (call: RecordedCall) => string,
][] = [
  ["TIME", 8, 0, timeOf],
  ["OUTCOME", 7, 0, ({ outcome }) => outcome],
  ["CLIENT", 11, 0, ({ entry }) => fieldText(entry["client"])],
  ["TOOL", 20, 0, ({ entry }) => fieldText(entry["tool"])],
  ["TOOK", 6, 0, ({ entry }) => duration(entry["duration_ms"])],
  ["EFFECT", 11, 110, ({ entry }) => fieldText(entry["effect"])],
  ["TOKENS", 6, 110, ({ entry }) => fieldText(entry["tokens"])],
  ["RULE", 24, 150, ({ entry }) => fieldText(entry["rule"])],
];

function linePrinter(): (call: RecordedCall) => Promise<void> {
  const room = io().stdout.isTerminal() ? columnsOf("stdout") : Infinity;
  const shown = columns.filter(([, , from]) => room >= from);
  const heads = [...shown.map(([head, width]) => head.padEnd(width)), "WHAT"].join(" ");
  const taken = shown.reduce((sum, [, width]) => sum + width + 1, 0);
  let before: string | undefined;
  return async (call) => {
    const day = dayOf(call);
    const gap = before === undefined ? "" : "\n";
    if (day !== before) await print(paint(`${gap}${day}\n${heads}`, "bold", "stdout"), true);
    before = day;
    const cells = shown.map(([head, width, , textOf]) => {
      const cell = cutToWidth(inOneLine(harmless(textOf(call))), width);
      const filled = cell + " ".repeat(width - cellWidth(cell));
      const colour = head === "OUTCOME" ? colours[call.outcome] : undefined;
      return colour === undefined ? filled : paint(filled, colour, "stdout");
    });
    const what = inOneLine(harmless(whatOf(call)));
    const fitting = room === Infinity ? what : cutToWidth(what, Math.max(8, room - taken));
    await print([...cells, fitting].join(" "), true);
  };
}

function timeOf({ time, entry }: RecordedCall): string {
  return Number.isNaN(time) ? fieldText(entry["time"]) : new Date(time).toTimeString().slice(0, 8);
}

function duration(value: unknown): string {
  const seconds = typeof value === "number" ? value / 1000 : NaN;
  if (Number.isNaN(seconds)) return "";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  return seconds < 100 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds / 60)} min`;
}

function whatOf({ entry, outcome }: RecordedCall): string {
  const { arguments: args, argv, refusal, notice, question, script, parent, error, calls } = entry;
  const given = isObject(args)
    ? Object.entries(args).map(([name, value]) => `${name}=${fieldText(value)}`)
    : [argv ?? []].flat().map(fieldText);
  const id = fieldText(script ?? parent).slice(0, 8);
  const asked = Array.isArray(calls) ? calls.map((call) => fieldText(call?.["tool"])) : [];
  const ended = `${fieldText(entry["ending"])} ${fieldText(entry["exit_code"])}`;
  return [
    id && `${script === undefined ? "in script" : "script"} ${id}`,
    outcome === "waiting" ? `waits for your yes: ${fieldText(question ?? asked.join(", "))}` : "",
    outcome === "refused" ? fieldText(refusal) : "",
    outcome === "failed" ? fieldText(error ?? ended.trim()) : "",
    given.join(" "),
    fieldText(notice),
    outcome === "waiting" ? "" : answerOf(entry),
  ].filter((part) => part !== "").join("; ");
}

const answers: Readonly<Record<string, string>> = { accepted: "yes", declined: "no" };

function answerOf({ confirmation, approval, client }: RecordedCall["entry"]): string {
  if (confirmation === undefined) return "";
  const { choice = undefined, by = client } = isObject(approval) ? approval : {};
  const said = choice ?? answers[fieldText(confirmation)];
  const words = said === undefined ? confirmation : `${fieldText(said)} by ${fieldText(by)}`;
  return `(confirmation: ${fieldText(words)})`;
}
