/**
 * A run as a plain value, before it starts and after it ended. Nothing here knows what a tool is.
 */

import type { Binary } from "./binary.ts";
import type { Cleanup } from "./cleanup.ts";

/** One word of a command line. */
export interface Token {
  readonly text: string;
  /** The same for logs: `***` in place of a secret value. */
  readonly shown: string;
}

/** The words of a command line, program first. */
export type CommandTokens = readonly [Token, ...Token[]];

/** A token that is no secret. */
export function plain(text: string): Token {
  return { text, shown: text };
}

/** Everything that decides how a program is run. */
export interface Invocation {
  /** Program first; never given to a shell. */
  readonly argv: readonly [string, ...string[]];
  /** Absent: the directory climax runs in. */
  readonly cwd?: string;
  /** Added to what is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of the variables that are inherited; absent: all. */
  readonly inherit?: readonly string[];
  /** Absent: the program reads an empty input. */
  readonly stdin?: string;
  /** True if what it writes to its standard error is discarded unread. @default false */
  readonly hidesStderr?: boolean;
  /** Milliseconds from the start. */
  readonly timeoutMs: number;
  /** Cleanup elsewhere when the run is over. */
  readonly cleanup?: Cleanup;
}

/** The output of a program on one of its streams. */
export interface Captured {
  /** UTF-8, with U+FFFD for what is not. */
  readonly text: string;
  /** All bytes that were read, kept or not. */
  readonly bytes: number;
  /** True when `text` lacks some of them, and says so. @default false */
  readonly isCut?: boolean;
  /** Present where the bytes are no text. */
  readonly binary?: Binary;
}

/** The reason why a program could not be started. */
export type StartFailure =
  | "command not found"
  | "not executable"
  | "no program of this system"
  | "not permitted"
  | "working directory not found"
  | "working directory is no directory"
  | "command line too long"
  | "out of file descriptors"
  | "other";

/** How a run ended. */
export type Ending =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signalled"; readonly signal: string }
  | { readonly kind: "timed out" }
  | { readonly kind: "cancelled" }
  | { readonly kind: "not started"; readonly failure: StartFailure; readonly detail: string };

/** What a run came to. */
export interface RunOutcome {
  readonly ending: Ending;
  readonly stdout: Captured;
  readonly stderr: Captured;
  readonly durationMs: number;
}
