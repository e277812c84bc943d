/** `climax log`: prints what agents called, from the activity log of all clients. */

import type { Command } from "@commander-js/extra-typings";
import { delay } from "../../async/deadline.ts";
import { activityPath } from "../../call/activity_log.ts";
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
import { sayHint } from "../messages.ts";
import { shared } from "../options.ts";
import { cutToWidth, print, printJson } from "../output.ts";

export function define(command: Command) {
  return command
    .description("Print what agents of all clients called, the last call last")
    .argument(
      "[filter...]",
      "words of a call, or client=, tool= (with *), effect=, outcome=, since= (30m, 12h, 7d, a date)",
    )
    .option("--follow", "keep printing new calls, until Ctrl-C")
    .addOption(shared.audit().hideHelp())
    .addOption(shared.json());
}

export const examples: readonly Example[] = [
  ["log", "the last 50 calls"],
  ["log --follow client=cursor", "watch one client"],
  ["log outcome=refused since=7d", "what was refused in a week"],
  ["log effect=destructive tool=git_*", "what could not be undone"],
];

/** Calls that are printed without `since=` and without `--json`. */
const mostCalls = 50;

/** Milliseconds between two looks at the file. */
const intervalMs = 500;

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
  const lines = new CallLines(json);
  const read = async () => {
    await history.refresh();
    if (history.problem === undefined) return history.calls.filter(isWanted);
    throw new FileError("The log cannot be read", { file: path, message: history.problem });
  };
  const all = await read();
  const isWhole = json || words.some((word) => word.startsWith("since="));
  const shown = isWhole ? all : all.slice(-mostCalls);
  const left = all.length - shown.length;
  if (left > 0) {
    say(`Not shown: ${plural(left, "earlier call")}; since=30d shows all`);
  }
  for (const call of shown) await lines.print(call);
  if (history.broken > 0) {
    say(`Left out: ${plural(history.broken, "line")} that climax did not write`);
  }
  if (shown.length === 0 && !json) await tellNothing(history, words);
  if (follow) await followCalls(read, new Set(all), lines);
  return ExitCode.ok;
}

async function tellNothing({ calls, path }: CallHistory, words: readonly string[]): Promise<void> {
  if (calls.length > 0) return await print(`No call matches '${words.join(" ")}'`);
  await print(`No calls yet: ${path}`);
  sayHint(`${climax()} connect CLIENT: its calls are then here`);
}

/** Prints calls that are not `known` as they are recorded. */
async function followCalls(
  read: () => Promise<readonly RecordedCall[]>,
  known: ReadonlySet<RecordedCall>,
  lines: CallLines,
): Promise<void> {
  const stop = new AbortController();
  const unlisten = onEndSignals(() => stop.abort());
  // Entries are the same objects until old lines are removed, which makes new ones of all
  let last = known;
  while (!stop.signal.aborted) {
    await delay(intervalMs, stop.signal);
    const now = new Set(await read());
    const texts = new Set(last.values().map(({ text }) => text));
    for (const call of now.difference(last)) if (!texts.has(call.text)) await lines.print(call);
    last = now;
  }
  unlisten();
}

const colours: Readonly<Partial<Record<RecordedCall["outcome"], Colour>>> = {
  failed: "red",
  refused: "yellow",
  waiting: "yellow",
  done: "green",
};

interface Column {
  readonly head: string;
  readonly width: number;
  /** It is left out on narrower terminals. */
  readonly from: number;
  textOf(call: RecordedCall): string;
}

const columns: readonly Column[] = [
  { head: "TIME", width: 8, from: 0, textOf: timeOf },
  { head: "OUTCOME", width: 7, from: 0, textOf: ({ outcome }) => outcome },
  { head: "CLIENT", width: 11, from: 0, textOf: ({ entry }) => fieldText(entry["client"]) },
  { head: "TOOL", width: 20, from: 0, textOf: ({ entry }) => fieldText(entry["tool"]) },
  { head: "TOOK", width: 6, from: 0, textOf: ({ entry }) => duration(entry["duration_ms"]) },
  { head: "EFFECT", width: 11, from: 110, textOf: ({ entry }) => fieldText(entry["effect"]) },
  { head: "TOKENS", width: 6, from: 110, textOf: ({ entry }) => fieldText(entry["tokens"]) },
  { head: "RULE", width: 24, from: 150, textOf: ({ entry }) => fieldText(entry["rule"]) },
];

/** Prints calls under the dates of their days. */
class CallLines {
  readonly #isJson: boolean;
  #day = "";

  constructor(isJson: boolean) {
    this.#isJson = isJson;
  }

  async print(call: RecordedCall): Promise<void> {
    if (this.#isJson) return await printJson(call.entry, 0);
    const isTerminal = io().stdout.isTerminal();
    const room = isTerminal ? columnsOf("stdout") : Infinity;
    const shown = columns.filter(({ from }) => room >= from);
    const day = dayOf(call);
    if (day !== this.#day) {
      const heads = [...shown.map(({ head, width }) => head.padEnd(width)), "WHAT"].join(" ");
      await print(paint(`${this.#day === "" ? "" : "\n"}${day}\n${heads}`, "bold", "stdout"), true);
      this.#day = day;
    }
    const cells = shown.map((column) => fit(column.textOf(call), column.width));
    const taken = cells.reduce((sum, cell) => sum + cellWidth(cell) + 1, 0);
    const what = inOneLine(harmless(whatOf(call)));
    const line = [...cells, isTerminal ? cutToWidth(what, Math.max(8, room - taken)) : what].join(
      " ",
    );
    const colour = colours[call.outcome];
    await print(
      colour === undefined ? line : line.replace(cells[1]!, paint(cells[1]!, colour, "stdout")),
      true,
    );
  }
}

function fit(value: string, width: number): string {
  const cell = cutToWidth(inOneLine(harmless(value)), width);
  return cell + " ".repeat(width - cellWidth(cell));
}

function timeOf({ time, entry }: RecordedCall): string {
  return Number.isNaN(time) ? fieldText(entry["time"]) : new Date(time).toTimeString().slice(0, 8);
}

function duration(value: unknown): string {
  const ms = Number(value);
  if (value === undefined || Number.isNaN(ms)) return "";
  return ms < 1000
    ? `${Math.round(ms)} ms`
    : ms < 100_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.round(ms / 60_000)} min`;
}

/** Says with which arguments, why it was refused, what a person answered. */
function whatOf({ entry, outcome }: RecordedCall): string {
  const { arguments: args, argv, refusal, notice, question, confirmation, approval, ending } =
    entry;
  const given = isObject(args)
    ? Object.entries(args).map(([name, value]) => {
      return `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`;
    })
    : Array.isArray(argv)
    ? argv.map(fieldText)
    : [];
  const how = isObject(approval)
    ? `${fieldText(approval["choice"])} by ${fieldText(approval["by"])}`
    : confirmation;
  return [
    ...(outcome === "waiting" ? [`waits for your yes: ${fieldText(question)}`] : []),
    ...(outcome === "refused"
      ? [fieldText(refusal).split("\n").map((line) => line.trim()).join(" ")]
      : []),
    ...(outcome === "failed"
      ? [`${fieldText(ending)} ${fieldText(entry["exit_code"])}`.trim()]
      : []),
    given.join(" "),
    fieldText(notice),
    how === undefined || outcome === "waiting" ? "" : `(asked: ${fieldText(how)})`,
  ].filter((part) => part !== "").join("; ");
}
