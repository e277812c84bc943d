/** Defines the options that commands share, in one table, and reads the values of options. */

import {
  Command,
  type CommandUnknownOpts,
  Option,
  type OptionValues,
} from "@commander-js/extra-typings";
import { type CallSettings, defaultCallSettings } from "../call/context.ts";
import { resultFormats } from "../catalog/compact.ts";
import { UsageError } from "../errors.ts";
import { defaultLogLevel, type LogFormat, logFormats, type LogLevel, logLevels } from "../log.ts";
import { nearHint } from "../text/similar_names.ts";

export const projectFileWords = "climax.json, or tamamo-x.config.json where that exists";

export function sharedOptions() {
  return {
    config: listOption("--config <config>", "a config (repeatable)"),
    mcp: listOption(
      "--mcp <file>",
      "the MCP servers of a climax.json, or of another client's file (repeatable)",
    ),
    file: textOption("--file <file>", `the project's file (default: ${projectFileWords})`),
    policy: textOption(
      "--policy <policy>",
      "apply this policy: a file, work, ask, open, readonly or NAME-readonly",
    ),
    sandbox: new Option(
      "--sandbox",
      "run programs and stdio servers in a sandbox: writes only in this directory, no network but where a bundled config needs it",
    ),
    scripts: new Option(
      "--scripts",
      "add script_run: JavaScript that makes many calls in one (docs/scripts.md)",
    ),
    strict: new Option("--strict", "refuse a policy that names a tool no config has"),
    audit: textOption(
      "--audit <file>",
      "append a line of JSON to this file for each call; off: keep no log of calls at all",
    ),
    classic: new Option(
      "--classic",
      "show every tool by name instead of climax_search and climax_call",
    ),
    results: resultsOption("contract"),
    logLevel: choiceOption("--log-level <level>", "lowest level that is logged", logLevels)
      .default<LogLevel>(defaultLogLevel),
    logFormat: choiceOption("--log-format <format>", "format of log lines", logFormats)
      .default<LogFormat>("text"),
    json: new Option("--json", "print JSON"),
    yes: new Option("-y, --yes", "write without asking"),
    concurrency: numberOption("--concurrency <number>", "how many programs run at once", 1)
      .default(defaultCallSettings.concurrency, "4 for each core, 2 on Windows"),
    backgroundAfter: secondsOption(
      "--background-after <seconds>",
      "continue calls in the background after this many seconds, 45 at most (0: as tools say)",
    ).default(defaultCallSettings.softTimeoutMs / 1000),
    killTimeout: secondsOption(
      "--kill-timeout <seconds>",
      "seconds a program has to exit before it is killed",
    ).default(defaultCallSettings.graceMs / 1000),
    maxOutput: numberOption(
      "--max-output <kib>",
      "how much to keep of both ends of each output stream, in KiB",
      1,
    ).default(defaultCallSettings.keepBytes / 1024),
    maxResultTokens: resultTokensOption().default(defaultCallSettings.maxResultTokens),
    state: textOption("--state <url>", "answer calls of the instances with this --state"),
    signingKey: textOption("--signing-key <file>", "their key, for --state"),
  };
}

export type FlagsOf<Table> = { readonly [Key in keyof Table]: FlagOf<Table[Key]> };

type FlagOf<Chosen> = Chosen extends Option<string, undefined, infer Preset, infer Value>
  ? (Value extends undefined ? true : Value) | Preset
  : never;

export type SharedFlags = FlagsOf<ReturnType<typeof sharedOptions>>;

export const toolOptions = ["config", "mcp", "policy", "sandbox", "strict"] as const;

export function withOptions<
  Args extends unknown[],
  Options extends OptionValues,
  Name extends keyof SharedFlags,
>(
  command: Command<Args, Options>,
  ...names: readonly Name[]
): Command<Args, Options & Pick<SharedFlags, Name>> {
  const table = sharedOptions();
  for (const name of names) command.addOption(table[name] as Option);
  return command as unknown as Command<Args, Options & Pick<SharedFlags, Name>>;
}

export function resultsOption(preset: string) {
  return choiceOption(
    "--results <format>",
    `format of search results: contract (full schemas), compact (a line each) (default: ${preset})`,
    resultFormats,
  );
}

export function resultTokensOption() {
  // Below 200 tokens there is no room for the text that says what was truncated
  const read = wholeNumber("--max-result-tokens", 200, largest, "0 for no limit");
  return new Option(
    "--max-result-tokens <number>",
    "approximate token limit of a result, 0 for none; longer ones keep both ends",
  ).argParser((text) => text === "0" ? 0 : read(text));
}

/**
 * Returns an option whose value is text. A second value is refused, because commander would silently use the last one.
 */
export function textOption<const Flags extends string>(flags: Flags, description: string) {
  return new Option(flags, description).argParser(
    (value: string, previous: string | undefined) => {
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
  // The limit is a day, because timers of JavaScript overflow after 24 days
  return numberOption("--timeout <seconds>", description, 1, 86_400).default(otherwise);
}

/** Returns an option that may be given several times. */
export function listOption<const Flags extends string>(flags: Flags, description: string) {
  return new Option(flags, description).argParser(
    (value: string, previous: readonly string[] | undefined): readonly string[] => {
      return [...previous ?? [], value];
    },
  );
}

export function choiceOption<const Flags extends string, const Choice extends string>(
  flags: Flags,
  description: string,
  choices: readonly Choice[],
) {
  return new Option(flags, description).choices(choices).argParser(oneOf(nameOf(flags), choices));
}

export function secondsOption<const Flags extends string>(flags: Flags, description: string) {
  return new Option(flags, description).argParser((text) => {
    if (/^\d{1,6}(?:\.\d+)?$/.test(text)) return Number(text);
    throw new UsageError(`${nameOf(flags)} takes seconds, such as 2 or 0.5, not '${text}'`);
  });
}

function nameOf(flags: string): string {
  return flags.split(" ")[0]!;
}

export function longOptions(define: (command: Command) => CommandUnknownOpts): string[] {
  return define(new Command()).options.flatMap(({ long }) => long ?? []);
}

const largest = 999_999_999;

function wholeNumber(name: string, least: number, most = largest, hint?: string) {
  return (text: string): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
    if (value >= least && value <= most) return value;
    const range = `from ${least} to ${most}`;
    throw new UsageError(`${name} takes a whole number ${range}, not '${text}'`, hint);
  };
}

/** Creates a parser of one of `choices`, in any letter case. @throws {UsageError} from the parser */
export function oneOf<Choice extends string>(name: string, choices: readonly Choice[]) {
  return (text: string): Choice => {
    const found = choices.find((choice) => choice === text.toLowerCase());
    if (found !== undefined) return found;
    const longer = choices.find((choice) => choice.startsWith(`${text}-`));
    const hint = longer === undefined ? nearHint(text, choices) : `Did you mean: ${longer}`;
    throw new UsageError(`${name} takes one of ${choices.join(", ")}, not '${text}'`, hint);
  };
}

type CallFlags = Pick<SharedFlags, "killTimeout" | "maxOutput"> & Partial<SharedFlags>;

export function callsOf(flags: CallFlags): Partial<CallSettings> {
  const { concurrency, backgroundAfter, maxResultTokens } = flags;
  return {
    graceMs: flags.killTimeout * 1000,
    keepBytes: flags.maxOutput * 1024,
    maxResultTokens: maxResultTokens ?? defaultCallSettings.maxResultTokens,
    ...(concurrency !== undefined && { concurrency }),
    ...(backgroundAfter !== undefined && { softTimeoutMs: backgroundAfter * 1000 }),
  };
}
