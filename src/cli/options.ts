/** The options that commands share, and how their values are read. */

import { defaultLockName } from "../setup/file_names.ts";
import { type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { type ResultFormat, resultFormats } from "../catalog/compact.ts";
import { UsageError } from "../errors.ts";
import { nearNames } from "../text/similar_names.ts";
import { defaultLogLevel, type LogFormat, logFormats, type LogLevel, logLevels } from "../log.ts";

/** `--mcp` */
export function mcpOption() {
  return new Option(
    "--mcp <file>",
    "also the MCP servers of a climax.json or another client's .mcp.json (repeatable)",
  )
    .argParser(repeated);
}

/** `--file` */
export function fileOption() {
  return new Option("--file <file>", `the project's file (default: ${projectFileWords})`)
    .argParser(once("--file"));
}

/** The project's file, for help. */
export const projectFileWords =
  "climax.json, or tamamo-x.config.json, its documented name, where that is";

/** `--policy` */
export function policyOption() {
  return new Option("--policy <policy>", "apply this policy: a file, or NAME-readonly")
    .argParser(once("--policy"));
}

/** `--sandbox` */
export function sandboxOption() {
  return new Option(
    "--sandbox",
    "hold programs and stdio servers: they write in this directory only, and have no network",
  );
}

/** `--scripts` */
export function scriptsOption() {
  return new Option(
    "--scripts",
    "serve script_run: JavaScript that makes many calls in one (docs/scripts.md)",
  );
}

/** `--strict` */
export function strictOption() {
  return new Option("--strict", "refuse a policy that names a tool no config has");
}

/** `--locked` */
export function lockedOption() {
  return new Option("--locked", `serve only tools whose programs match ${defaultLockName}`);
}

/** `--lock` */
export function lockOption() {
  return new Option("--lock <file>", "the same, with another file that climax lock wrote")
    .argParser(once("--lock"));
}

/** The lock file that the options name. */
export function lockFileOf(options: LockFlags): string | undefined {
  return options.lock ?? (options.locked ? defaultLockName : undefined);
}

/** The lock options, as given on the command line. */
export interface LockFlags {
  readonly locked?: true | undefined;
  readonly lock?: string | undefined;
}

/** `--audit` */
export function auditOption() {
  return new Option("--audit <file>", "append a line of JSON to this file for each call")
    .argParser(once("--audit"));
}

/** `--classic` */
export function classicOption() {
  return new Option(
    "--classic",
    "show every tool by name instead of climax_search and climax_call",
  );
}

/** `--results` */
export function resultsOption() {
  return new Option(
    "--results <format>",
    "what climax_search answers: contract, schemas; short, of the first three; compact, lines (default: contract)",
  )
    .choices(resultFormats).argParser<ResultFormat>(oneOf("--results", resultFormats));
}

/** `--log-level` */
export function logLevelOption() {
  return new Option("--log-level <level>", "lowest level that is logged")
    .choices(logLevels).argParser(oneOf("--log-level", logLevels)).default<LogLevel>(
      defaultLogLevel,
    );
}

/** `--transport`, for compatibility with the CLImax written in Python. */
export function transportOption() {
  const transports = ["stdio"] as const;
  return new Option("--transport <name>", "transport that a client is served over")
    .choices(transports).conflicts("http").argParser(oneOf("--transport", transports));
}

/** `--log-format` */
export function logFormatOption() {
  return new Option("--log-format <format>", "format of log lines")
    .choices(logFormats).argParser(oneOf("--log-format", logFormats)).default<LogFormat>("text");
}

/** `--json` */
export function jsonOption() {
  return new Option("--json", "print JSON");
}

/** Options with their former names, which still work for one release but are not shown. */
const formerNames: ReadonlyMap<string, string> = new Map([
  ["--background-after", "--soft-timeout"],
  ["--include-global-options", "--globals"],
  ["--kill-orphans", "--reap"],
  ["--kill-timeout", "--grace"],
  ["--max-background-jobs", "--jobs"],
  ["--show-worst", "--misses"],
  ["--shutdown-timeout", "--drain"],
]);

/** Accepts the former names of `command`'s options; help and completions show the current ones only. */
export function acceptFormerNames(command: CommandUnknownOpts): void {
  for (const option of command.options) {
    const former = formerNames.get(option.long ?? "");
    if (former !== undefined) option.short = former;
  }
}

/** A day in seconds: no timer counts much further than three weeks. */
export const longestSeconds = 86_400;

/**
 * Creates a parser of whole numbers from `least` to `most`, for the option or argument `name`.
 *
 * @throws {UsageError} when called with anything else, with `hint`
 */
export function wholeNumber(
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

/**
 * Creates a parser of one of `choices`, in any letter case, for the option or argument `name`.
 *
 * @throws {UsageError} when called with anything else
 */
export function oneOf<Choice extends string>(
  name: string,
  choices: readonly Choice[],
): (text: string) => Choice {
  return (text) => {
    const found = choices.find((choice) => choice === text.toLowerCase());
    if (found !== undefined) return found;
    const near = nearNames(text, choices);
    throw new UsageError(
      `${name} takes one of ${choices.join(", ")}, not '${text}'`,
      near.length > 0 ? `Did you mean: ${near.join(", ")}` : undefined,
    );
  };
}

/**
 * Creates a parser that refuses a second `name`, where commander would silently take the last one.
 *
 * @throws {UsageError} when called a second time
 */
export function once(name: string): (value: string, previous: string | undefined) => string {
  return (value, previous) => {
    if (previous === undefined) return value;
    throw new UsageError(`${name} may be given once`);
  };
}

/** Collects the values of a repeatable option in the order they were given. */
export function repeated(value: string, previous: readonly string[] | undefined): string[] {
  return [...previous ?? [], value];
}

/**
 * Creates a parser of seconds, for the option `name`.
 *
 * @throws {UsageError} when called with anything else
 */
export function seconds(name: string): (text: string) => number {
  return (text) => {
    const value = /^\d{1,6}(?:\.\d+)?$/.test(text) ? Number(text) : NaN;
    if (value >= 0) return value;
    throw new UsageError(`${name} takes seconds, such as 2 or 0.5, not '${text}'`);
  };
}
