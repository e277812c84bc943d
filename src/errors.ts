/** Defines exit codes, errors, and problems in files with their line and column. */

export const ExitCode = {
  ok: 0,
  /** The exit code after a failed call, or for an invalid config. */
  failure: 1,
  usage: 2,
  file: 3,
  internalError: 4,
  /** The exit code if climax would start itself as one of its own MCP servers, without end. */
  startsItself: 5,
  /** The exit code after the terminal was closed: 128 and the number of SIGHUP, as in shells. */
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = typeof ExitCode[keyof typeof ExitCode];

export interface Problem {
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  /** The position of the problem in its line, from 1, in UTF-16 code units. */
  readonly column?: number;
  readonly excerpt?: readonly string[];
  readonly hint?: string;
}

/** An error whose message is written for the person who uses climax. */
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

export class FileError extends ClimaxError {
  constructor(message: string, ...problems: readonly Problem[]) {
    super(message, ExitCode.file, problems);
  }
}

export function loadError(problems: readonly Problem[]): ClimaxError {
  const [only, another] = problems;
  if (only !== undefined && another === undefined && only.file === undefined) {
    return new FileError(only.message, ...problems);
  }
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  return new FileError(`Nothing was loaded: ${count}`, ...problems);
}

export class UsageError extends ClimaxError {
  override readonly name = "UsageError";

  constructor(message: string, hint?: string) {
    super(message, ExitCode.usage, hint === undefined ? [{ message }] : [{ message, hint }]);
  }
}

export function formatPlace({ file, line, column }: Partial<Problem>): string {
  if (file === undefined) return "";
  // A line feed in the name of a file would break the line of the message
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

/** Returns the message of any thrown value, without the ` (os error 2)` and the system call that Deno appends. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/\.? \(os error \d+\)(?:: .*)?$/s, "");
}

/** Yields `error`, its cause, the cause of its cause, and so on, ten at most: causes may form a cycle. */
export function* causesOf(error: unknown): Generator<Error> {
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth++) {
    yield at;
  }
}
