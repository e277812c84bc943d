/** Runs one invocation: starts its program, ends it at a timeout or cancellation, and returns its output. */

import { log } from "../log.ts";
import { rootFolder } from "../process/folders.ts";
import { ask } from "./ask_program.ts";
import { trackBackground } from "./background_work.ts";
import type { Clock } from "../async/clock.ts";
import { deadline, yieldToEventLoop } from "../async/deadline.ts";
import { Capture, type StoredOutputWriter } from "./capture.ts";
import { consoleDecoder } from "./console_text.ts";
import {
  type Captured,
  type Cleanup,
  defaultGraceMs,
  defaultKeepBytes,
  type Ending,
  type Invocation,
  type RunOutcome,
} from "./invocation.ts";
import { endTree, type Started } from "./process_tree.ts";
import { programOf } from "./program.ts";
import type { RunningProgram } from "./program_thread.ts";
import { present } from "../text/own_property.ts";
import { spawn } from "./spawn.ts";

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  readonly keepBytes?: number | undefined;
  readonly graceMs?: number | undefined;
  /** Ends the grace period at once, so that the program is killed. */
  readonly forceSignal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
  /** Called with each chunk as it arrives; its bytes are overwritten by the next one. */
  readonly onOutput?: ((chunk: Uint8Array, stream: OutputStream) => void) | undefined;
  readonly storeRest?: ((stream: OutputStream) => StoredOutputWriter | undefined) | undefined;
}

export type OutputStream = "stdout" | "stderr";

/** Output is read for at most this many milliseconds after the program's end: a background process may hold the pipe. */
const drainMs = 200;

const nothing: Captured = { text: "", bytes: 0 };

export async function run(invocation: Invocation, options: RunOptions = {}): Promise<RunOutcome> {
  const begin = performance.now();
  const measureMs = () => performance.now() - begin;
  if (options.signal?.aborted) return outcomeUnstarted({ kind: "cancelled" }, measureMs());
  const program = programOf(invocation);
  const newDecoder = Deno.build.os === "windows" ? await consoleDecoder() : undefined;
  await yieldToEventLoop();
  const started = await spawn(program, invocation);
  if ("kind" in started) return outcomeUnstarted(started, measureMs());
  const { child } = started;
  const keep = options.keepBytes ?? defaultKeepBytes;
  const { onOutput, storeRest } = options;
  const startCapture = (name: OutputStream) => {
    return new Capture(child[name], {
      keep,
      onChunk: onOutput && ((chunk) => onOutput(chunk, name)),
      storeRest: storeRest && (() => storeRest(name)),
      decoder: newDecoder?.(),
    });
  };
  const stdout = startCapture("stdout");
  const stderr = invocation.hidesStderr ? unread : startCapture("stderr");
  const input = feed(child, (started.prepared ?? invocation).stdin);
  const ending = await untilEnded(started, invocation.timeoutMs, options);
  const { cleanup } = invocation;
  if (cleanup !== undefined && wasEnded(ending)) await cleanUp(cleanup, invocation.env);
  await drain([stdout, stderr, input]);
  const created = await started.sandbox?.endCall() ?? [];
  return {
    ending,
    stdout: stdout.result(),
    stderr: stderr.result(),
    durationMs: measureMs(),
    ...present({
      created: created.length === 0 ? undefined : created,
      leftOut: await started.leftOut,
      note: started.note,
      prepared: started.prepared,
    }),
  };
}

function outcomeUnstarted(ending: Ending, durationMs: number): RunOutcome {
  return { ending, stdout: nothing, stderr: nothing, durationMs };
}

type PipeEnd = Pick<Capture, "done" | "isDone" | "release">;

const nothingToWrite: PipeEnd = {
  done: Promise.resolve(),
  isDone: true,
  release: () => Promise.resolve(),
};

const unread: Pick<Capture, keyof Capture> = { ...nothingToWrite, result: () => nothing };

function feed(child: RunningProgram, text: string | undefined): PipeEnd {
  if (text === undefined) return nothingToWrite;
  const stop = new AbortController();
  const written = new Blob([text]).stream().pipeTo(child.stdin, { signal: stop.signal });
  return {
    done: written.catch(() => {}),
    isDone: false,
    // A write ends only when the program reads it or closes its input, so `release` does not wait for the write
    release: () => Promise.resolve(stop.abort()),
  };
}

async function untilEnded(
  started: Started,
  timeoutMs: number,
  { signal, graceMs = defaultGraceMs, forceSignal, clock }: RunOptions,
): Promise<Ending> {
  const ended = await deadline(started.child.status.then(endingOf), timeoutMs, signal, clock);
  if (typeof ended !== "string") return ended;
  await endTree(started, { graceMs, forceSignal });
  return { kind: ended === "aborted" ? "cancelled" : ended };
}

function wasEnded({ kind }: Ending): boolean {
  return kind === "timed out" || kind === "cancelled";
}

function endingOf({ code, signal }: Deno.CommandStatus): Ending {
  return signal === null ? { kind: "exited", code } : { kind: "signalled", signal };
}

async function drain(all: readonly PipeEnd[]): Promise<void> {
  const pipes = all.filter(({ isDone }) => !isDone);
  if (pipes.length === 0) return;
  await deadline(Promise.all(pipes.map((pipe) => pipe.done)), drainMs);
  await Promise.all(pipes.map((pipe) => pipe.release()));
}

/** A result waits this many milliseconds for the cleanup, which then continues in the background. */
const waitMs = 300;

const limitMs = 10_000;

async function cleanUp(cleanup: Cleanup, env: Readonly<Record<string, string>>): Promise<void> {
  await deadline(trackBackground(carryOut(cleanup, env)), waitMs);
}

async function carryOut(
  { what, argv: [program, ...args] }: Cleanup,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const { ok, complaint } = await ask(program, args, rootFolder, env, { limit: limitMs });
  if (!ok) log("warning", `${what} may still run: ${complaint}`);
}
