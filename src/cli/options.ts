/** The options that commands share, and how their values are read. */

import { InvalidArgumentError, Option } from "commander";
import type { CallSettings } from "../call/context.ts";
import { logLevels } from "../log.ts";

/** `--log-level` */
export function logLevelOption(): Option {
  return new Option("--log-level <level>", "least urgent log lines that are written")
    .choices(logLevels).default("warning");
}

/** `--config` */
export function configOption(): Option {
  return new Option(
    "--config <config...>",
    "configs to load, behind the other words (default: all bundled ones)",
  );
}

/** `--policy` */
export function policyOption(): Option {
  return new Option("--policy <file>", "serve only what this policy allows").argParser(
    once("policy"),
  );
}

/** `--strict` */
export function strictOption(): Option {
  return new Option("--strict", "make a tool that the policy names and no config has an error");
}

/** `--audit` */
export function auditOption(): Option {
  return new Option("--audit <file>", "append a line of JSON for each call (or CLIMAX_AUDIT_FILE)")
    .argParser(once("audit"));
}

/** `--grace` */
export function graceOption(): Option {
  return new Option("--grace <seconds>", "between asking a process tree to end and making it")
    .argParser(seconds).default(2);
}

/** `--max-output` */
export function maxOutputOption(): Option {
  return new Option("--max-output <kib>", "of the beginning and of the end of each output stream")
    .argParser(counting(1)).default(128);
}

/** `--keep-ansi` */
export function keepAnsiOption(): Option {
  return new Option("--keep-ansi", "keep terminal control sequences in results");
}

/** The options that decide how programs are run, as settings. */
export function callsOf(options: CallFlags): Partial<CallSettings> {
  return {
    graceMs: options.grace * 1000,
    keepBytes: options.maxOutput * 1024,
    keepAnsi: options.keepAnsi ?? false,
    ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
  };
}

/** How programs are run, as given on the command line. */
export interface CallFlags {
  readonly grace: number;
  readonly maxOutput: number;
  readonly keepAnsi?: boolean;
  readonly concurrency?: number;
}

/** A parser of whole numbers from `least`. */
export function counting(least: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
    if (value >= least) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${least}.`);
  };
}

/** Refuses an option that is given twice, where the last one would win without a word. */
function once(name: string): (value: string, previous: string | undefined) => string {
  return (value, previous) => {
    if (previous === undefined) return value;
    throw new InvalidArgumentError(`--${name} may be given once.`);
  };
}

function seconds(text: string): number {
  const value = /^\d{1,6}(?:\.\d+)?$/.test(text) ? Number(text) : NaN;
  if (value >= 0) return value;
  throw new InvalidArgumentError("Expected seconds, such as 2 or 0.5.");
}
