/** Defines the options that commands share, and reads their values. */

import { Command, type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { resultFormats } from "../catalog/compact.ts";
import { UsageError } from "../errors.ts";
import { nearHint } from "../text/similar_names.ts";
import { defaultLogLevel, type LogFormat, logFormats, type LogLevel, logLevels } from "../log.ts";
import { type CallSettings, defaultCallSettings } from "../call/context.ts";

export const projectFileWords = "climax.json, or tamamo-x.config.json where that exists";

export const shared = {
  config: () => listOption("--config <config>", "a config (repeatable)"),
  mcp: () => {
    const description = "the MCP servers of a climax.json, or of another client's file";
    return listOption("--mcp <file>", `${description} (repeatable)`);
  },
  file: () => textOption("--file <file>", `the project's file (default: ${projectFileWords})`),
  policy: () =>
    textOption(
      "--policy <policy>",
      "apply this policy: a file, work, ask, open, readonly or NAME-readonly",
    ),
  sandbox: () =>
    new Option(
      "--sandbox",
      "run programs and stdio servers in a sandbox: writes only in this directory, no network but where a bundled config needs it",
    ),
  scripts: () =>
    new Option(
      "--scripts",
      "add script_run: JavaScript that makes many calls in one (docs/scripts.md)",
    ),
  strict: () => new Option("--strict", "refuse a policy that names a tool no config has"),
  audit: () =>
    textOption(
      "--audit <file>",
      "append a line of JSON to this file for each call; off: keep no log of calls at all",
    ),
  classic: () =>
    new Option("--classic", "show every tool by name instead of climax_search and climax_call"),
  results: (preset = "contract") =>
    choiceOption(
      "--results <format>",
      `format of search results: contract (full schemas), compact (a line each) (default: ${preset})`,
      resultFormats,
    ),
  logLevel: () =>
    choiceOption("--log-level <level>", "lowest level that is logged", logLevels)
      .default<LogLevel>(defaultLogLevel),
  logFormat: () =>
    choiceOption("--log-format <format>", "format of log lines", logFormats).default<LogFormat>(
      "text",
    ),
  json: () => new Option("--json", "print JSON"),
  concurrency: () =>
    numberOption("--concurrency <number>", "how many programs run at once", 1)
      .default(defaultCallSettings.concurrency, "4 for each core, 2 on Windows"),
  backgroundAfter: () =>
    new Option(
      "--background-after <seconds>",
      "continue calls in the background after this many seconds, 45 at most (0: as tools say)",
    )
      .argParser(seconds("--background-after")).default(defaultCallSettings.softTimeoutMs / 1000),
  killTimeout: () =>
    new Option("--kill-timeout <seconds>", "seconds a program has to exit before it is killed")
      .argParser(seconds("--kill-timeout")).default(defaultCallSettings.graceMs / 1000),
  maxOutput: () =>
    numberOption(
      "--max-output <kib>",
      "how much to keep of both ends of each output stream, in KiB",
      1,
    )
      .default(defaultCallSettings.keepBytes / 1024),
  maxResultTokens: () => resultTokensOption().default(defaultCallSettings.maxResultTokens),
};

/** Options that name the store of all instances, for commands by which a person answers calls. */
export const storeOptions = {
  state: () => textOption("--state <url>", "answer calls of the instances with this --state"),
  signingKey: () => textOption("--signing-key <file>", "their key, for --state"),
};

/** Returns `--max-result-tokens` without a default, for `connect`, which has a default for each client. */
export function resultTokensOption() {
  return new Option(
    "--max-result-tokens <number>",
    "approximate token limit of a result, 0 for none; longer ones keep both ends",
  )
    .argParser((text) => {
      // Below 200 tokens there is no room for the text that says what was truncated
      const read = wholeNumber("--max-result-tokens", 200, Infinity, "0 for no limit");
      return text === "0" ? 0 : read(text);
    });
}

/** Returns an option with a text, which may be given once. */
export function textOption<const Flags extends string>(flags: Flags, description: string) {
  return new Option(flags, description).argParser(
    (value: string, previous: string | undefined) => {
      // Commander would silently use the last of several values
      if (previous !== undefined) throw new UsageError(`${nameOf(flags)} may be given once`);
      return value;
    },
  );
}

export function numberOption<const Flags extends string>(
  flags: Flags,
  description: string,
  min: number,
  max?: number,
) {
  return new Option(flags, description).argParser(wholeNumber(nameOf(flags), min, max));
}

export function timeoutOption(description: string, otherwise: number) {
  return numberOption("--timeout <seconds>", description, 1, maxSeconds).default(otherwise);
}

/** Returns an option that may be given several times; its value is the list in order. */
export function listOption<const Flags extends string>(flags: Flags, description: string) {
  return new Option(flags, description).argParser(
    (value: string, previous: readonly string[] | undefined) => [...previous ?? [], value],
  );
}

/** Returns an option with one of `choices`, in any letter case. */
export function choiceOption<const Flags extends string, const Choice extends string>(
  flags: Flags,
  description: string,
  choices: readonly Choice[],
) {
  return new Option(flags, description).choices(choices).argParser(oneOf(nameOf(flags), choices));
}

function nameOf(flags: string): string {
  return flags.split(" ")[0]!;
}

/** Returns the long names of the options that `define` adds. */
export function longOptions(define: (command: Command) => CommandUnknownOpts): string[] {
  return define(new Command()).options.flatMap(({ long }) => long ?? []);
}

/** A day in seconds, the largest timeout: timers of JavaScript overflow after 24 days. */
const maxSeconds = 86_400;

/** Creates a parser of whole numbers from `least` to `most`. @throws {UsageError} with `hint` */
function wholeNumber(
  name: string,
  least: number,
  most = Infinity,
  hint?: string,
): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
    if (value >= least && value <= most) return value;
    const isHuge = /^\d{10,}$/.test(text);
    const top = isHuge ? Math.min(most, 999_999_999) : most;
    const range = top === Infinity ? `from ${least}` : `from ${least} to ${top}`;
    throw new UsageError(`${name} takes a whole number ${range}, not '${text}'`, hint);
  };
}

/** Creates a parser of one of `choices`, in any letter case. @throws {UsageError} for others */
export function oneOf<Choice extends string>(
  name: string,
  choices: readonly Choice[],
): (text: string) => Choice {
  return (text) => {
    const found = choices.find((choice) => choice === text.toLowerCase());
    if (found !== undefined) return found;
    const longer = choices.find((choice) => choice.startsWith(`${text}-`));
    const hint = longer === undefined ? nearHint(text, choices) : `Did you mean: ${longer}`;
    throw new UsageError(`${name} takes one of ${choices.join(", ")}, not '${text}'`, hint);
  };
}

/** Creates a parser of seconds, for the option `name`. @throws {UsageError} from the parser */
export function seconds(name: string): (text: string) => number {
  return (text) => {
    const value = /^\d{1,6}(?:\.\d+)?$/.test(text) ? Number(text) : NaN;
    if (value >= 0) return value;
    throw new UsageError(`${name} takes seconds, such as 2 or 0.5, not '${text}'`);
  };
}

export function callsOf(options: CallFlags): Partial<CallSettings> {
  return {
    graceMs: options.killTimeout * 1000,
    keepBytes: options.maxOutput * 1024,
    maxResultTokens: options.maxResultTokens ?? defaultCallSettings.maxResultTokens,
    ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
    ...(options.backgroundAfter === undefined
      ? {}
      : { softTimeoutMs: options.backgroundAfter * 1000 }),
  };
}

interface CallFlags {
  readonly killTimeout: number;
  readonly maxOutput: number;
  readonly maxResultTokens?: number | undefined;
  readonly concurrency?: number | undefined;
  readonly backgroundAfter?: number | undefined;
}
