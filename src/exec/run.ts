/**
 * Runs one invocation to its end and says how it ended. Whatever the program does, the run returns
 * within its timeout plus the grace plus half a second, and holds nothing when it has.
 */

import { type Capture, capture } from "./capture.ts";
import type { Captured, Ending, Invocation, Outcome } from "./invocation.ts";
import { endTree } from "./process_tree.ts";
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
  /** Called with each chunk as it arrives; its bytes are overwritten by the next one. */
  readonly onOutput?: ((chunk: Uint8Array, stream: OutputStream) => void) | undefined;
}

/** The streams a program writes to. */
export type OutputStream = "stdout" | "stderr";

/**
 * Milliseconds that output is waited for once the program has ended: what it wrote itself is there
 * at once, and a background process that holds the stream may hold it for ever.
 */
const drainMs = 200;

const nothing: Captured = { text: "", bytes: 0 };

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
  await input.release();
  await drain([stdout, stderr]);
  return { ending, stdout: stdout.result(), stderr: stderr.result(), durationMs: elapsed() };
}

function spawn({ argv, cwd, env, stdin }: Invocation): Deno.ChildProcess {
  const [program, ...args] = argv;
  return new Deno.Command(program, {
    args,
    env: { ...env },
    ...(cwd === undefined ? {} : { cwd }),
    stdin: stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
    detached: Deno.build.os !== "windows",
  }).spawn();
}

/** The outcome of a run that never began. */
export function unstarted(ending: Ending, durationMs = 0): Outcome {
  return { ending, stdout: nothing, stderr: nothing, durationMs };
}

/** Writes the input; a program that does not read it all has done nothing wrong. */
function feed(child: Deno.ChildProcess, text: string | undefined): { release(): Promise<void> } {
  if (text === undefined) return { release: () => Promise.resolve() };
  const writer = child.stdin.getWriter();
  const write = async (): Promise<void> => {
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
  };
  const written = write().catch(() => {});
  return {
    async release() {
      await Promise.race([writer.abort().catch(() => {}), written]);
    },
  };
}

/** Waits for the program to end by itself, or ends its tree on timeout and cancellation. */
async function untilEnded(
  child: Deno.ChildProcess,
  timeoutMs: number,
  { signal, graceMs = defaultGraceMs }: RunOptions,
): Promise<Ending> {
  const stop = Promise.withResolvers<Ending>();
  const onAbort = () => stop.resolve({ kind: "cancelled" });
  const timer = setTimeout(() => stop.resolve({ kind: "timed out" }), timeoutMs);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    const ending = await Promise.race([stop.promise, child.status.then(endingOf)]);
    if (ending.kind === "timed out" || ending.kind === "cancelled") {
      await endTree(child, { graceMs });
    }
    return ending;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

function endingOf({ code, signal }: Deno.CommandStatus): Ending {
  return signal === null ? { kind: "exited", code } : { kind: "signalled", signal };
}

/** Waits a moment for the streams to end, then lets them go. */
async function drain(streams: readonly Capture[]): Promise<void> {
  const ended = Promise.all(streams.map((stream) => stream.done));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => timer = setTimeout(resolve, drainMs));
  await Promise.race([ended, late]);
  clearTimeout(timer);
  await Promise.all(streams.map((stream) => stream.release()));
}
