/** Options that decide how programs run and how much of their output is returned. */

import { Option } from "@commander-js/extra-typings";
import { type CallSettings, defaultCallSettings } from "../call/context.ts";
import { seconds, wholeNumber } from "./options.ts";

/** `--concurrency` */
export function concurrencyOption() {
  return new Option("--concurrency <number>", "how many programs run at once")
    .argParser(wholeNumber("--concurrency", 1))
    .default(defaultCallSettings.concurrency, "4 for each core, 2 on Windows");
}

/** `--background-after` */
export function backgroundAfterOption() {
  return new Option(
    "--background-after <seconds>",
    "continue calls in the background after this many seconds (0 disables; tools may override)",
  )
    .argParser(seconds("--background-after")).default(defaultCallSettings.softTimeoutMs / 1000);
}

/** `--max-background-jobs` */
export function maxBackgroundJobsOption() {
  return new Option(
    "--max-background-jobs <number>",
    "how many background jobs run at once, 0 for none (default: half of --concurrency)",
  )
    .argParser(wholeNumber("--max-background-jobs", 0));
}

/** `--kill-timeout` */
export function killTimeoutOption() {
  return new Option(
    "--kill-timeout <seconds>",
    "seconds between asking a program to end and killing it",
  )
    .argParser(seconds("--kill-timeout")).default(defaultCallSettings.graceMs / 1000);
}

/** `--max-output` */
export function maxOutputOption() {
  return new Option(
    "--max-output <kib>",
    "amount kept of each end of an output stream, in KiB",
  )
    .argParser(wholeNumber("--max-output", 1)).default(defaultCallSettings.keepBytes / 1024);
}

/** `--max-result-tokens` */
export function maxResultTokensOption() {
  return resultTokensOption().default(defaultCallSettings.maxResultTokens);
}

/** `--max-result-tokens` without a default, for `connect`: each client has its own. */
export function resultTokensOption() {
  return new Option(
    "--max-result-tokens <number>",
    "about how many tokens a result may cost, 0 for any; its two ends are kept",
  )
    .argParser(resultTokens);
}

/** A smaller bound has no room for the text that says what was truncated. */
function resultTokens(text: string): number {
  const hint = "0 is any number";
  return text === "0" ? 0 : wholeNumber("--max-result-tokens", 200, Infinity, hint)(text);
}

/** `--keep-ansi` */
export function keepAnsiOption() {
  return new Option("--keep-ansi", "keep terminal control sequences in results");
}

/** Converts the options to settings. */
export function callsOf(options: CallFlags): Partial<CallSettings> {
  return {
    graceMs: options.killTimeout * 1000,
    keepBytes: options.maxOutput * 1024,
    maxResultTokens: options.maxResultTokens ?? defaultCallSettings.maxResultTokens,
    keepAnsi: options.keepAnsi ?? defaultCallSettings.keepAnsi,
    ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
    ...(options.backgroundAfter === undefined
      ? {}
      : { softTimeoutMs: options.backgroundAfter * 1000 }),
    ...(options.maxBackgroundJobs === undefined ? {} : { jobs: options.maxBackgroundJobs }),
  };
}

/** How programs are run, as given on the command line. */
export interface CallFlags {
  readonly killTimeout: number;
  readonly maxOutput: number;
  readonly maxResultTokens?: number | undefined;
  readonly keepAnsi?: boolean | undefined;
  readonly concurrency?: number | undefined;
  readonly backgroundAfter?: number | undefined;
  readonly maxBackgroundJobs?: number | undefined;
}
