/** Describes a run of a program as plain values: what is to be started, and how it has ended. */

import type { Binary } from "./binary.ts";
import type { Sandbox } from "./sandbox_view.ts";

export interface Token {
  readonly text: string;
  /** The word as logs have it, with `***` in the place of a secret. */
  readonly shown: string;
  /** True if the word comes from the config, and is the same in each call. @default false */
  readonly isFixed?: boolean;
}

export type CommandTokens = readonly [Token, ...Token[]];

export function plain(text: string): Token {
  return { text, shown: text };
}

export interface Cleanup {
  readonly what: string;
  readonly argv: readonly [string, ...string[]];
}

export type LineTaking = readonly [
  step: "count" | "top" | "rows" | "first",
  most: number,
  isDefault: boolean,
];

export interface Invocation {
  readonly argv: readonly [string, ...string[]];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  /** The names of the variables that the program inherits; absent: all. */
  readonly inherit?: readonly string[];
  readonly stdin?: string;
  readonly hidesStderr?: boolean;
  readonly exitCodes?: Readonly<Record<string, string>>;
  /** Which lines of the output a result gets after a success. @default all */
  readonly takings?: readonly LineTaking[];
  readonly timeoutMs: number;
  readonly cleanup?: Cleanup;
  /** The sandbox of the program; without it, the program has all rights of climax. */
  readonly sandbox?: Sandbox;
  readonly searches?: readonly string[];
  readonly agreesTo?: ((words: string) => boolean) | undefined;
}

export interface Captured {
  /** The output read as UTF-8, with U+FFFD for invalid bytes. */
  readonly text: string;
  /** The length of the whole output in bytes, with those that were not kept. */
  readonly bytes: number;
  readonly isCut?: boolean;
  readonly isLossy?: boolean;
  readonly binary?: Binary;
}

export type StartFailure =
  | "command not found"
  | "not executable"
  | "no program of this system"
  | "not permitted"
  | "working directory not found"
  | "working directory is no directory"
  | "command line too long"
  | "out of file descriptors"
  | "no sandbox"
  | "refused"
  | "other";

export type Ending =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signalled"; readonly signal: string }
  | { readonly kind: "timed out" }
  | { readonly kind: "cancelled" }
  | { readonly kind: "not started"; readonly failure: StartFailure; readonly detail: string };

export type NotStarted = Extract<Ending, { kind: "not started" }>;

export interface RunOutcome {
  readonly ending: Ending;
  readonly stdout: Captured;
  readonly stderr: Captured;
  readonly durationMs: number;
  readonly created?: readonly CreatedName[];
  /** Paths that the program was kept from reading and storing, because they have names of credentials. */
  readonly leftOut?: readonly string[];
  readonly note?: string;
  /** What was started instead of the given invocation: for git, other words, another directory or a narrower sandbox. */
  readonly prepared?: Invocation;
}

/** A file that a program in a sandbox created under a name that programs outside of it obey. */
export interface CreatedName {
  readonly path: string;
  readonly renamedTo?: string;
}

/** This many bytes of the start and as many of the end of a stream are kept. */
export const defaultKeepBytes = 128 * 1024;

/** A program that was asked to end is killed after this many milliseconds. */
export const defaultGraceMs = 2000;
