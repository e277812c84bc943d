/**
 * Runs one invocation to its end and says how it ended. Whatever the program does, the run returns
 * within its timeout plus the grace plus half a second, and holds nothing when it has.
 */

import { type Capture, capture } from "./capture.ts";
import type { Captured, Ending, Invocation, Outcome } from "./invocation.ts";
import { optionalVariable } from "../process/environment.ts";
import { removeContainer } from "./docker.ts";
import { endTree } from "./process_tree.ts";
import { settledWithin } from "./settled_within.ts";
import { describeStartFailure } from "./start_failure.ts";

/** 128 KiB. */
export const defaultKeepBytes = 128 * 1024;

/** Two seconds. */
export const defaultGraceMs = 2000;

/** Settings of {@linkcode run}. */
export interface RunOptions {
  /** Ends the run when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Bytes kept of the beginning and of the end of each stream. @default defaultKeepBytes */
  readonly keepBytes?: number | undefined;
  /** Milliseconds between asking a process tree to end and making it. @default defaultGraceMs */
  readonly graceMs?: number | undefined;
  /** Cuts the grace short when it aborts. */
  readonly hurry?: AbortSignal | undefined;
  /** Called with each chunk as it arrives; its bytes are overwritten by the next one. */
  readonly onOutput?: ((chunk: Uint8Array, stream: OutputStream) => void) | undefined;
}

/** The streams a program writes to. */
export type OutputStream = "stdout" | "stderr";

/**
 * Milliseconds that the pipes are waited for once the program has ended: what it wrote itself is
 * there at once, and a background process that holds a pipe may hold it for ever.
 */
const drainMs = 200;

const nothing: Captured = { text: "", bytes: 0 };

/** Bytes of the input written at once: all that a write which nobody reads can hold on to. */
const inputChunkBytes = 64 * 1024;

/** Runs `invocation`. */
export async function run(invocation: Invocation, options: RunOptions = {}): Promise<Outcome> {
  const started = performance.now();
  const elapsed = () => performance.now() - started;
  if (options.signal?.aborted) return unstarted({ kind: "cancelled" }, elapsed());
  let child: Deno.ChildProcess;
  try {
    child = spawn(invocation);
  } catch (error) {
    return unstarted(await describeStartFailure(error, invocation), elapsed());
  }
  const keep = options.keepBytes ?? defaultKeepBytes;
  const { onOutput } = options;
  const watch = (name: OutputStream) => onOutput && ((chunk: Uint8Array) => onOutput(chunk, name));
  const stdout = capture(child.stdout, { keep, onChunk: watch("stdout") });
  const stderr = capture(child.stderr, { keep, onChunk: watch("stderr") });
  const input = feed(child, invocation.stdin);
  const ending = await untilEnded(child, invocation.timeoutMs, options);
  if (invocation.container !== undefined && wasEnded(ending)) {
    await removeContainer(invocation.container, invocation.env);
  }
  await drain([stdout, stderr, input]);
  return { ending, stdout: stdout.result(), stderr: stderr.result(), durationMs: elapsed() };
}

function spawn({ argv, cwd, env, inherit, stdin }: Invocation): Deno.ChildProcess {
  const [program, ...args] = argv;
  return new Deno.Command(program, {
    args,
    ...environmentOf(env, inherit),
    ...(cwd === undefined ? {} : { cwd }),
    stdin: stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
    detached: Deno.build.os !== "windows",
  }).spawn();
}

/** The environment of a child: what it inherits, or as much of it as it may, and `env`. */
function environmentOf(
  env: Readonly<Record<string, string>>,
  inherit: readonly string[] | undefined,
): Pick<Deno.CommandOptions, "env" | "clearEnv"> {
  if (inherit === undefined) return { env: { ...env } };
  const inherited = inherit.flatMap((name): [string, string][] => {
    const value = optionalVariable(name);
    return value === undefined ? [] : [[name, value]];
  });
  return { env: { ...Object.fromEntries(inherited), ...env }, clearEnv: true };
}

/** The outcome of a run that never began. */
export function unstarted(ending: Ending, durationMs = 0): Outcome {
  return { ending, stdout: nothing, stderr: nothing, durationMs };
}

/** One end of a pipe to the program. */
type PipeEnd = Pick<Capture, "done" | "release">;

/** Writes the input; a program that does not read it all has done nothing wrong. */
function feed(child: Deno.ChildProcess, text: string | undefined): PipeEnd {
  if (text === undefined) return { done: Promise.resolve(), release: () => Promise.resolve() };
  const writer = child.stdin.getWriter();
  let rest: Uint8Array = new TextEncoder().encode(text);
  const write = async (): Promise<void> => {
    while (rest.length > 0) {
      const chunk = rest.slice(0, inputChunkBytes);
      rest = rest.subarray(chunk.length);
      await writer.write(chunk);
    }
    await writer.close();
  };
  return {
    done: write().catch(() => {}),
    release() {
      rest = new Uint8Array();
      // Not waited for: a write that is under way ends only when whoever holds the pipe lets it go
      writer.abort().catch(() => {});
      return Promise.resolve();
    },
  };
}

/** Waits for the program to end by itself, or ends its tree on timeout and cancellation. */
async function untilEnded(
  child: Deno.ChildProcess,
  timeoutMs: number,
  { signal, graceMs = defaultGraceMs, hurry }: RunOptions,
): Promise<Ending> {
  const stop = Promise.withResolvers<Ending>();
  const onAbort = () => stop.resolve({ kind: "cancelled" });
  const timer = setTimeout(() => stop.resolve({ kind: "timed out" }), timeoutMs);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    const ending = await Promise.race([stop.promise, child.status.then(endingOf)]);
    if (wasEnded(ending)) {
      await endTree(child, { graceMs, hurry });
    }
    return ending;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

/** Whether we ended the program, rather than it itself. */
function wasEnded({ kind }: Ending): boolean {
  return kind === "timed out" || kind === "cancelled";
}

function endingOf({ code, signal }: Deno.CommandStatus): Ending {
  return signal === null ? { kind: "exited", code } : { kind: "signalled", signal };
}

/** Waits a moment for the pipes to end, then lets them go. */
async function drain(pipes: readonly PipeEnd[]): Promise<void> {
  await settledWithin(Promise.all(pipes.map((pipe) => pipe.done)), drainMs);
  await Promise.all(pipes.map((pipe) => pipe.release()));
}
