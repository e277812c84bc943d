/**
 * What can go wrong, in one closed vocabulary: problems with a place, errors with an exit code.
 *
 * Printing belongs to `cli/`; this file only says what an error is and how its text reads.
 */

/** Every exit code of the program, and there are no others. */
export const ExitCode = {
  /** Done. */
  ok: 0,
  /** The answer is no: a call with `isError`, a config that does not validate. */
  failure: 1,
  /** The command line is wrong. */
  usage: 2,
  /** A file is wrong or missing. */
  file: 3,
  /** The program broke. */
  internalError: 4,
} as const;

/** One of the numbers in {@linkcode ExitCode}. */
export type ExitCode = typeof ExitCode[keyof typeof ExitCode];

/** One thing that is wrong, and where. */
export interface Problem {
  readonly message: string;
  /** File as the user wrote it. */
  readonly file?: string;
  /** Counted from 1. */
  readonly line?: number;
  /** Counted from 1, in UTF-16 code units. */
  readonly column?: number;
  /** The line of the file, and a mark below its column. */
  readonly excerpt?: readonly string[];
  /** What to do about it, printed on a line of its own. */
  readonly hint?: string;
}

/** An error whose text was written for the user; anything else that is thrown is a defect. */
export class ClimaxError extends Error {
  override readonly name: string = "ClimaxError";

  constructor(
    message: string,
    readonly exitCode: ExitCode,
    readonly problems: readonly Problem[] = [],
  ) {
    super(message);
  }
}

/** The command line is wrong. */
export class UsageError extends ClimaxError {
  override readonly name = "UsageError";

  constructor(message: string, hint?: string) {
    super(message, ExitCode.usage, hint === undefined ? [{ message }] : [{ message, hint }]);
  }
}

/** `file:line:column`, as much of it as is known. */
export function formatPlace({ file, line, column }: Partial<Problem>): string {
  if (file === undefined) return "";
  return [file, line, column].filter((part) => part !== undefined).join(":");
}

/** `file:line:column: message`, with the line of the file and the hint indented below it. */
export function formatProblem(problem: Problem): string {
  const { message, hint, excerpt = [] } = problem;
  const place = formatPlace(problem);
  const text = place === "" ? message : `${place}: ${message}`;
  const hints = hint === undefined ? [] : [`  hint: ${hint}`];
  return [text, ...excerpt.map((line) => `  ${line}`), ...hints].join("\n");
}

/**
 * The message of anything that was thrown, without the number and the call that the runtime puts
 * behind a failure of the system: whoever shows it says what was being done, and to what.
 */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/\.? \(os error \d+\)(?:: .*)?$/s, "");
}
