/** What an executor is given to run elsewhere, and the command line of the client that has it run. */

import type { Cleanup } from "./cleanup.ts";
import type { Token } from "./invocation.ts";

/** What of a run elsewhere is decided by the tool rather than by the executor. */
export interface RemoteCommandOptions {
  /** Names the run; unique. */
  readonly id: string;
  /** The variables that the program gets. */
  readonly env: Readonly<Record<string, string>>;
  /** The directory an argument asked for; a relative one is seen from the executor's. */
  readonly cwd?: Token | undefined;
  readonly stdin?: string | undefined;
  readonly timeoutMs: number;
}

/** The run of a client that has a program run elsewhere. */
export interface RemoteCommandLine {
  readonly argv: readonly [string, ...string[]];
  /** The same for logs: the client's words, and the program's with `***` for secret values. */
  readonly shown: readonly string[];
  /** What the client gets as its input. */
  readonly stdin?: string;
  /** Variables that the client gets, besides what it inherits. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cleanup: Cleanup;
}
