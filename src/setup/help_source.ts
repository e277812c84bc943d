/**
 * Asks programs for their help and for nothing else. A started program may do anything, so each
 * runs without input, in a separate directory, with limits on its time and output.
 */

import type { Invocation, RunOutcome } from "../exec/invocation.ts";
import { run } from "../exec/run.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "../process/temporary_folder.ts";

/** Twenty seconds: some programs start a virtual machine before they print anything. */
export const defaultHelpTimeoutMs = 20_000;

export interface HelpSource {
  /** Requests the help of a command; tries other ways only when the program itself names them. */
  ask(words: readonly [string, ...string[]]): Promise<string | undefined>;
}

interface ProgramHelpOptions {
  /** Path of the program; `argv[0]` is the name in the command line. */
  readonly path: string;
  /** One request for help may take this many milliseconds. @default {@linkcode defaultHelpTimeoutMs} */
  readonly timeoutMs?: number;
  /** Variables that the program's config adds to its environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** This many bytes of the beginning and of the end are stored, 256 KiB: no help is longer. */
const keepBytes = 256 * 1024;

/** An environment in which programs print help for reading: no pager, no colour, long lines. */
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

/** A shorter text is an error message, not help. */
const minHelpLength = 30;

/** Opens a source for an installed program. Disposing it removes its working directory. */
export async function programHelp(
  options: ProgramHelpOptions,
): Promise<HelpSource & AsyncDisposable> {
  const cwd = makeTemporaryFolder("help-");
  return {
    ask: (words) => askInTurn(words, cwd, options),
    async [Symbol.asyncDispose]() {
      await removeTemporaryFolder(cwd);
    },
  };
}

/** Tries `--help` first, and other ways only when the program names them. */
async function askInTurn(
  words: readonly [string, ...string[]],
  cwd: string,
  options: ProgramHelpOptions,
): Promise<string | undefined> {
  const [program, ...subcommands] = words;
  // git opens a manual page for `git add --help`, and prints the options for `-h`
  const isGit = /(?:^|\/)git$/.test(program) && subcommands.length > 0;
  const first = await ask([...subcommands, isGit ? "-h" : "--help"]);
  if (first !== undefined && isHelp(first)) return first;
  if (first === undefined) return undefined;
  for (const args of isGit ? [] : otherWays(first, words)) {
    const next = await ask(args);
    if (next !== undefined && isHelp(next)) return next;
  }
  // BSD programs print an error and their usage
  return /^usage: /im.test(first) ? first : undefined;

  async function ask(args: readonly string[]): Promise<string | undefined> {
    const invocation: Invocation = {
      argv: [options.path, ...args],
      cwd,
      env: { ...options.env, ...surroundings },
      timeoutMs: options.timeoutMs ?? defaultHelpTimeoutMs,
    };
    return textOf(await run(invocation, { keepBytes, signal: options.signal }));
  }
}

function textOf({ ending, stdout, stderr }: RunOutcome): string | undefined {
  if (ending.kind !== "exited") return undefined;
  // Warnings go to one stream, the help to the other
  const [first, second] = [stdout.text, stderr.text];
  return first.trim().length > minHelpLength ? first : `${first}${second}`;
}

/** Returns true when a text is help rather than an error message about the question. */
function isHelp(text: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (text.trim().length < minHelpLength) return false;
  const complains = complaint.test(lines[0] ?? "") || complaint.test(lines.at(-1) ?? "");
  return !complains || lines.length > maxComplaintLength;
}

const complaint =
  /(?:unknown|unrecognized|unrecognised|invalid|illegal|unexpected|no such) (?:\w+ )?(?:option|flag|argument|command|switch)|not defined|\berror: |could not /i;

/** An error message has at most this many lines; many include the usage. */
const maxComplaintLength = 12;

/** Returns the arguments by which an error message says that help is printed. */
function otherWays(text: string, [program, ...subcommands]: readonly [string, ...string[]]) {
  const called = program.split(/[\\/]/).at(-1)!.replace(/\.(?:exe|cmd|bat)$/i, "");
  const says = (phrase: string) => {
    const at = text.indexOf(phrase);
    return at !== -1 && !/[\w-]/.test(text.charAt(at + phrase.length));
  };
  return [
    ...["-h", "-help"].filter(says).map((word) => [...subcommands, word]),
    // `rm help` would remove a file: a bare word is tried only when written as a command
    ...(says(`${called} <command> help`) ? [[...subcommands, "help"]] : []),
    ...(says(`${called} help`) ? [["help", ...subcommands]] : []),
  ];
}
