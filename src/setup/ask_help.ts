/**
 * Asks programs for their help, and for nothing else. A program may do anything when it is started,
 * so each is run with little around it: no input, a directory of its own, a bound on its time and
 * on what it prints. What is asked is told before it is.
 */

import { type Completer, completerOf } from "./completions.ts";
import { defaultHelpTimeoutMs } from "./help_bounds.ts";
import type { Invocation, RunOutcome } from "../exec/invocation.ts";
import { run } from "../exec/run.ts";

/** What one help invocation printed. */
export interface HelpAnswer {
  /** The words that were run. */
  readonly argv: readonly string[];
  /** Both streams, whichever had the help. */
  readonly text: string;
}

/** Somewhere that help texts come from. */
export interface HelpSource {
  /**
   * The help of a command, program first; nothing when it has none. `named` says which other ways
   * to ask the program itself names.
   */
  ask(words: readonly [string, ...string[]]): Promise<HelpAnswer | undefined>;
  /** Absent: nothing is asked but help. */
  readonly completer?: Completer | undefined;
}

/** Settings of {@linkcode programHelp}. */
export interface ProgramHelpOptions {
  /** Path the program is started by; the words say how it is called. */
  readonly path: string;
  /** Called with each command line before it is run. */
  readonly onRun: (argv: readonly string[]) => void;
  /** Milliseconds one help invocation may take. @default {@linkcode defaultHelpTimeoutMs} */
  readonly timeoutMs?: number;
  /** What the program's config adds to its environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Whether the program's completions are asked as well, where it has some. @default false */
  readonly completions?: boolean;
}

/** 256 KiB of the beginning and of the end: no help is longer. */
const keepBytes = 256 * 1024;

/** Surroundings in which programs print help for reading: no pager, no colour, long lines. */
const surroundings = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  NO_COLOR: "1",
  CLICOLOR: "0",
  TERM: "dumb",
  COLUMNS: "200",
  MANWIDTH: "200",
  LC_ALL: "C.UTF-8",
  GIT_TERMINAL_PROMPT: "0",
  CI: "1",
};

/** Fewer characters are a complaint, not help. */
const shortestHelp = 30;

/** Help from the installed program. The directory it runs in is removed when the source is disposed. */
export async function programHelp(
  options: ProgramHelpOptions,
): Promise<HelpSource & AsyncDisposable> {
  const cwd = await Deno.makeTempDir({ prefix: "climax-help-" });
  const { path, onRun, env } = options;
  const completer = options.completions
    ? await completerOf(path, { cwd, onRun, env: { ...env, ...surroundings } })
    : undefined;
  return {
    completer,
    ask: (words) => askInTurn(words, cwd, options),
    async [Symbol.asyncDispose]() {
      await Deno.remove(cwd, { recursive: true });
    },
  };
}

/** `--help` first; another way only where the program itself names it. */
async function askInTurn(
  words: readonly [string, ...string[]],
  cwd: string,
  options: ProgramHelpOptions,
): Promise<HelpAnswer | undefined> {
  const [program, ...subcommands] = words;
  // git opens a manual page for `git add --help`, and prints the options for `-h`
  const isGit = /(?:^|\/)git$/.test(program) && subcommands.length > 0;
  const first = await ask([...subcommands, isGit ? "-h" : "--help"]);
  if (first !== undefined && isHelp(first)) return first;
  if (first === undefined) return undefined;
  for (const args of isGit ? [] : otherWays(first.text, words)) {
    const next = await ask(args);
    if (next !== undefined && isHelp(next)) return next;
  }
  // BSD's programs complain, and print their usage with it
  return /^usage: /im.test(first.text) ? first : undefined;

  async function ask(args: readonly string[]): Promise<HelpAnswer | undefined> {
    const argv = [program, ...args];
    options.onRun(argv);
    const invocation: Invocation = {
      argv: [options.path, ...args],
      cwd,
      env: { ...options.env, ...surroundings },
      timeoutMs: options.timeoutMs ?? defaultHelpTimeoutMs,
    };
    const outcome = await run(invocation, { keepBytes, signal: options.signal });
    const text = textOf(outcome);
    return text === undefined ? undefined : { argv, text };
  }
}

function textOf({ ending, stdout, stderr }: RunOutcome): string | undefined {
  if (ending.kind !== "exited") return undefined;
  // Warnings go to one stream, the help to the other
  const [first, second] = [stdout.text, stderr.text];
  return first.trim().length > shortestHelp ? first : `${first}${second}`;
}

/** Whether a text is help rather than a complaint about the question. */
function isHelp({ text }: HelpAnswer): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (text.trim().length < shortestHelp) return false;
  const complains = complaint.test(lines[0] ?? "") || complaint.test(lines.at(-1) ?? "");
  return !complains || lines.length > longestComplaint;
}

const complaint =
  /(?:unknown|unrecognized|unrecognised|invalid|illegal|unexpected|no such) (?:\w+ )?(?:option|flag|argument|command|switch)|not defined|\berror: |could not /i;

/** Lines a complaint may have; usage is often printed with one. */
const longestComplaint = 12;

/** The ways to ask that a complaint itself names, as arguments. */
function otherWays(
  text: string,
  [program, ...subcommands]: readonly [string, ...string[]],
): string[][] {
  const called = program.split("/").at(-1)!;
  const says = (phrase: string) => {
    const at = text.indexOf(phrase);
    return at !== -1 && !/[\w-]/.test(text.charAt(at + phrase.length));
  };
  return [
    ...["-h", "-help"].filter(says).map((word) => [...subcommands, word]),
    // `rm help` would remove a file: a bare word is tried only where it is written as a command
    ...(says(`${called} <command> help`) ? [[...subcommands, "help"]] : []),
    ...(says(`${called} help`) ? [["help", ...subcommands]] : []),
  ];
}
