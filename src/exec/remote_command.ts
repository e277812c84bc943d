/** The input of an executor for a run elsewhere, and the command line of its client. */

import type { Cleanup } from "./cleanup.ts";
import type { Token } from "./invocation.ts";

/** The parts of a run elsewhere that the tool decides. */
export interface RemoteCommandOptions {
  /** A unique id of the run. */
  readonly id: string;
  readonly env: Readonly<Record<string, string>>;
  /** The directory that an argument names; relative to that of the executor. */
  readonly cwd?: Token | undefined;
  readonly stdin?: string | undefined;
  readonly timeoutMs: number;
}

/** The command line of a client. */
export interface RemoteCommandLine {
  readonly argv: readonly [string, ...string[]];
  /** For logs: with `***` for secret values. */
  readonly shown: readonly string[];
  /** Input of the client. */
  readonly stdin?: string;
  /** Variables of the client, in addition to those it inherits. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cleanup: Cleanup;
}
