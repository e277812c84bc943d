/** Problems with a place, errors with an exit code, and their text. Printing belongs to `cli/`. */

/** All exit codes of the program. */
export const ExitCode = {
  /** Success. */
  ok: 0,
  /** A negative result: a call with `isError`, a config that is not valid. */
  failure: 1,
  /** The command line is wrong. */
  usage: 2,
  /** A file is wrong or missing. */
  file: 3,
  /** A defect of the program. */
  internalError: 4,
  /** It is a server of itself. */
  startsItself: 5,
} as const;

/** One of the numbers in {@linkcode ExitCode}. */
export type ExitCode = typeof ExitCode[keyof typeof ExitCode];

/** A problem and its place. */
export interface Problem {
  readonly message: string;
  /** File as the user named it. */
  readonly file?: string;
  /** Counted from 1. */
  readonly line?: number;
  /** Counted from 1, in UTF-16 code units. */
  readonly column?: number;
  /** The line of the file, and a mark below its column. */
  readonly excerpt?: readonly string[];
  /** A remedy, printed on a line of its own. */
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

/** A file is wrong or missing, or another part of the surroundings is. */
export class FileError extends ClimaxError {
  constructor(message: string, ...problems: readonly Problem[]) {
    super(message, ExitCode.file, problems);
  }
}

/** The error of a load with `problems`; a single one without a place says all there is to say. */
export function loadError(problems: readonly Problem[]): ClimaxError {
  const [only, another] = problems;
  if (only !== undefined && another === undefined && only.file === undefined) {
    return new FileError(only.message, ...problems);
  }
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  return new FileError(`Nothing was loaded: ${count}`, ...problems);
}

/** The command line is wrong. */
export class UsageError extends ClimaxError {
  override readonly name = "UsageError";

  constructor(message: string, hint?: string) {
    super(message, ExitCode.usage, hint === undefined ? [{ message }] : [{ message, hint }]);
  }
}

/** Formats `file:line:column`, as much of it as is known. */
export function formatPlace({ file, line, column }: Partial<Problem>): string {
  if (file === undefined) return "";
  // A name may have line feeds
  return [file.replaceAll("\n", "\\x0a"), line, column].filter((part) => part !== undefined).join(
    ":",
  );
}

/** Formats `file:line:column: message`, with the line of the file and the hint indented below it. */
export function formatProblem(problem: Problem): string {
  const { message, hint, excerpt = [] } = problem;
  const place = formatPlace(problem);
  const text = place === "" ? message : `${place}: ${message}`;
  const hints = hint === undefined ? [] : [`  hint: ${hint}`];
  return [text, ...excerpt.map((line) => `  ${line}`), ...hints].join("\n");
}

/** The message of any thrown value, without the error number and system call of the runtime. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/\.? \(os error \d+\)(?:: .*)?$/s, "");
}

/** `error`, what caused it, and so on; a cyclic chain has an end too. */
export function* causesOf(error: unknown): Generator<Error> {
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth++) {
    yield at;
  }
}
