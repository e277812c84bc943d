/** Runs a child program that is used over its pipes, such as a server, and ends it with its whole process tree. */

import { deadline, yieldToEventLoop } from "../async/deadline.ts";
import type { Invocation, StartFailure } from "./invocation.ts";
import { endTree } from "./process_tree.ts";
import { programOf } from "./program.ts";
import type { Sandbox } from "./sandbox_view.ts";
import { present } from "../text/own_property.ts";
import { spawn } from "./spawn.ts";

interface ChildServerOptions {
  readonly argv: readonly [string, ...string[]];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly inherit: readonly string[];
  readonly sandbox?: Sandbox | undefined;
  readonly onStderr?: (chunk: Uint8Array) => void;
}

export interface ChildServer {
  readonly pid: number;
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  /** Resolves at the end of the program, to words such as `exit code 1` or `signal SIGKILL`. */
  readonly ended: Promise<string>;
  /** Ends the process tree: end of input, then SIGTERM, then SIGKILL. Resolves when it has ended. */
  end(forceSignal?: AbortSignal): Promise<void>;
}

type ChildServerStart =
  | { readonly ok: true; readonly companion: ChildServer }
  | { readonly ok: false; readonly failure: StartFailure; readonly detail: string };

/** After the end of its input a program has this many milliseconds to exit by itself. */
const exitMs = 500;

const graceMs = 2000;

export async function startChildServer(options: ChildServerOptions): Promise<ChildServerStart> {
  const { argv, cwd, env, inherit, sandbox, onStderr } = options;
  const invocation: Invocation = {
    argv,
    env,
    inherit,
    stdin: "",
    timeoutMs: Infinity,
    ...present({ cwd, sandbox }),
  };
  const program = programOf(invocation);
  await yieldToEventLoop();
  let release: (() => void) | undefined;
  const inThread = async (program: string, options: Deno.CommandOptions) => {
    const { startInThread } = await import("./program_thread.ts");
    const child = await startInThread(program, options);
    release = () => child.release();
    return child;
  };
  // On Windows, the pipes of a server would occupy threads that calls need, so a worker reads them
  const starter = Deno.build.os === "windows" ? inThread : undefined;
  const started = await spawn(program, invocation, starter);
  if ("kind" in started) return { ok: false, ...started };
  void follow(started.child.stderr, onStderr);
  const { pid, stdin, stdout, status } = started.child;
  void status.then(() => started.sandbox?.endServer(`'${argv[0]}'`));
  const ended = status.then(({ code, signal }) => {
    return signal === null ? `exit code ${code}` : `signal ${signal}`;
  });
  let ending: Promise<void> | undefined;
  const end = async (forceSignal?: AbortSignal): Promise<void> => {
    if (!forceSignal?.aborted) await deadline(ended, exitMs);
    await endTree(started, { graceMs, forceSignal });
    await ended;
    release?.();
  };
  const endOnce = (forceSignal?: AbortSignal) => ending ??= end(forceSignal);
  return { ok: true, companion: { pid, stdin, stdout, ended, end: endOnce } };
}

async function follow(
  stream: ReadableStream<Uint8Array>,
  onChunk: ((chunk: Uint8Array) => void) | undefined,
): Promise<void> {
  try {
    for await (const chunk of stream) onChunk?.(chunk);
  } catch {
    // The pipe is broken: there is no more output
  }
}
