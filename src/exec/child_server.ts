/**
 * A program that runs beside us and is spoken to over its pipes, such as a server. Ended as a whole
 * tree; what it says on stderr is read all the time, so that it never waits for us, and its end kept.
 */

import { deadline } from "../async/deadline.ts";
import type { Invocation, StartFailure } from "./invocation.ts";
import { endTree, type Started } from "./process_tree.ts";
import { programOf } from "./program.ts";
import { spawn } from "./spawn.ts";
import { yieldToEventLoop } from "./event_loop.ts";

/** What to start. */
export interface ChildServerOptions {
  readonly argv: readonly [string, ...string[]];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  /** Names of the variables that it inherits besides. */
  readonly inherit: readonly string[];
  /** Told of each chunk of its stderr. */
  readonly onStderr?: (chunk: Uint8Array) => void;
}

/** A running program. */
export interface ChildServer {
  readonly pid: number;
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  /** How it ended, `exit code 1` or `signal SIGKILL`; resolves when it has. */
  readonly ended: Promise<string>;
  /**
   * Ends it and everything it started: it is let go by itself first, for its input has ended, then
   * asked, then made to. Resolves when it is gone.
   */
  end(hurry?: AbortSignal): Promise<void>;
}

/** A companion, or why it did not start. */
export type ChildServerStart =
  | { readonly ok: true; readonly companion: ChildServer }
  | { readonly ok: false; readonly failure: StartFailure; readonly detail: string };

/** Milliseconds a program has to leave by itself once its input has ended. */
const leaveMs = 500;

/** Milliseconds between asking its tree to end and making it. */
const graceMs = 2000;

/** Starts a companion. */
export async function startChildServer(options: ChildServerOptions): Promise<ChildServerStart> {
  const { argv, cwd, env, inherit, onStderr } = options;
  const invocation: Invocation = {
    argv,
    env,
    inherit,
    // Piped, and kept open
    stdin: "",
    timeoutMs: Infinity,
    ...(cwd === undefined ? {} : { cwd }),
  };
  const program = await programOf(invocation);
  await yieldToEventLoop();
  const started = await spawn(program, invocation);
  if ("kind" in started) return { ok: false, ...started };
  void follow(started.child.stderr, onStderr);
  return { ok: true, companion: companionOf(started) };
}

function companionOf(started: Started): ChildServer {
  const { pid, stdin, stdout, status } = started.child;
  const ended = status.then(({ code, signal }) => {
    return signal === null ? `exit code ${code}` : `signal ${signal}`;
  });
  let ending: Promise<void> | undefined;
  const end = async (hurry?: AbortSignal): Promise<void> => {
    if (!hurry?.aborted) await deadline(ended, leaveMs);
    await endTree(started, { graceMs, hurry });
    await ended;
  };
  return { pid, stdin, stdout, ended, end: (hurry) => ending ??= end(hurry) };
}

async function follow(
  stream: ReadableStream<Uint8Array>,
  onChunk: ((chunk: Uint8Array) => void) | undefined,
): Promise<void> {
  try {
    for await (const chunk of stream) onChunk?.(chunk);
  } catch {
    // The pipe broke: there is no more to read
  }
}
