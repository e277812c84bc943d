/** Runs each script in a thread of its own with QuickJS. One thread is started in advance for the next script. */

import type { Worker } from "node:worker_threads";
import { type Clock, systemClock } from "../../async/clock.ts";
import { deadline } from "../../async/deadline.ts";
import { messageOf } from "../../errors.ts";
import { bound } from "../../io.ts";
import { log } from "../../log.ts";
import { mayRead } from "../../process/permissions.ts";
import { scanMessage } from "../../text/message_scan.ts";
import { codeFolders } from "../../worker/run_task.ts";
import type { StopRequest, ThreadMessage, VmAnswer, VmInput, VmStart } from "./_thread.ts";
import { threadUrl } from "./_thread_code.ts";
import { maxClockMs } from "./limits.ts";

export interface VmRequest {
  readonly kind: "call" | "search";
  readonly text: string;
}

export interface VmRun extends VmInput {
  /** Answers a call or search of the script, and never rejects. */
  readonly answer: (request: VmRequest) => Promise<Omit<VmAnswer, "id">>;
  readonly onLog: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
  readonly onEnd?: (() => void) | undefined;
}

export type VmOutcome = { readonly returned: string } | VmFailure;

export interface VmFailure {
  readonly failure: string;
  readonly stack?: string;
}

/** The memory of V8 in a script's thread, in MiB, for texts between script and climax. QuickJS has its own memory. */
const threadHeap = 128;

/** In milliseconds: how long a ready thread waits for a script, and how long after a script it is started. */
const spareMs = 60_000;
const spareDelayMs = 20;

let spare: Promise<Worker> | undefined;
let cancelSpare = () => {};

/** Runs a script and returns its result. Calls that the script did not wait for may still run afterwards. */
export async function runInVm({ onEnd, answer, onLog, ...run }: VmRun): Promise<VmOutcome> {
  const thread = await takeThread();
  if (typeof thread === "string") {
    onEnd?.();
    return { failure: `The interpreter of scripts cannot be started: ${thread}` };
  }
  try {
    // The thread may have started for another profile, so the callbacks are bound to the profile of this script
    return await attend(thread, { ...run, answer: bound(answer), onLog: bound(onLog) });
  } finally {
    void stopThread(thread, run.limits.computingMs).then(onEnd);
    keepSpare(run.clock);
  }
}

async function takeThread(): Promise<Worker | string> {
  const closed = codeFolders().find((folder) => !mayRead(folder));
  if (closed !== undefined) return `--allow-read=${closed} is needed`;
  cancelSpare();
  const ready = spare ?? startThread();
  spare = undefined;
  const thread = await ready.catch(messageOf);
  if (typeof thread !== "string") thread.ref();
  return thread;
}

const gone = new WeakSet<Worker>();
const stopping = new Set<Worker>();

/** A thread this many milliseconds late has failed: a stack overflow may break the timeout of `node:vm` (Deno 2.9.6). */
const silenceMs = 1000;

/** Waits until a thread computes no more and ends it: `terminate()` alone takes seconds (Deno 2.9.6). */
export async function stopThread(thread: Worker, computingMs: number): Promise<void> {
  if (gone.has(thread)) return;
  const idle = Promise.withResolvers<void>();
  thread.on("message", ({ kind }: ThreadMessage) => kind === "idle" && idle.resolve());
  thread.once("exit", () => idle.resolve());
  thread.postMessage({ kind: "stop" } satisfies StopRequest);
  stopping.add(thread);
  await deadline(idle.promise, maxClockMs(computingMs) + silenceMs);
  stopping.delete(thread);
  await thread.terminate();
}

export async function closeVms(): Promise<void> {
  cancelSpare();
  const waiting = spare;
  spare = undefined;
  await Promise.all([...stopping].map((thread) => thread.terminate()));
  await waiting?.then((thread) => thread.terminate(), () => {});
}

function keepSpare(clock: Clock = systemClock): void {
  if (spare !== undefined) return;
  cancelSpare = clock.after(spareDelayMs, () => {
    spare = startThread();
    // A thread that waits for the next script must not keep the process alive
    spare.then((thread) => thread.unref(), () => spare = undefined);
    cancelSpare = clock.after(spareMs, () => void closeVms(), { unref: true });
  }, { unref: true });
}

/** Exchanges messages with a thread until its script ends. A script can make the thread send anything. */
export async function attend(
  thread: Worker,
  { answer, onLog, signal, clock = systemClock, ...input }: Omit<VmRun, "onEnd">,
): Promise<VmOutcome> {
  const [stop, steps] = [sharedNumber(), sharedNumber()];
  const ended = Promise.withResolvers<VmOutcome>();
  const fail = (failure: string) => ended.resolve({ failure });
  const onAbort = () => fail("The call was cancelled");
  const { totalMs, computingMs } = input.limits;
  const onOvertime = () => fail(`It computes for more than ${inSeconds(computingMs)}`);
  const onTimeout = () => fail(`It takes more than ${inSeconds(totalMs)}`);
  const cancelTimeout = clock.after(totalMs, onTimeout);
  let posted = 0;
  let cancelWatch = () => {};
  const watch = () => {
    const done = Atomics.load(steps, 0);
    cancelWatch();
    cancelWatch = systemClock.after(maxClockMs(computingMs) + silenceMs, () => {
      if (Atomics.load(steps, 0) === done) onOvertime();
      else if (Atomics.load(steps, 0) < posted) watch();
    });
  };
  const post = (message: VmStart | VmAnswer) => {
    if (Atomics.load(steps, 0) === posted++) watch();
    thread.postMessage(message);
  };
  signal?.addEventListener("abort", onAbort);
  if (signal?.aborted) onAbort();
  const { depth } = input.limits;
  const answerOf = (request: VmRequest) => {
    if (depthOf(request.text) <= depth + levelsAround) return answer(request);
    const text = `A value of a script has ${depth} levels at most`;
    return Promise.resolve({ isError: true, text, now: input.now });
  };
  thread.on("message", (message: ThreadMessage) => {
    switch (message.kind) {
      case "call":
      case "search":
        void answerOf(message).then((given) => {
          if (Atomics.load(stop, 0) === 0) post({ ...given, id: message.id });
        }, (error) => fail(messageOf(error)));
        return;
      case "log":
        return onLog(message.text);
      case "done":
        return depthOf(message.text) <= depth
          ? ended.resolve({ returned: message.text })
          : fail(`The result has more than ${depth} levels`);
      case "fail":
        return ended.resolve(parseFailure(message.text));
      case "overtime":
        return onOvertime();
      case "broken":
        return fail(`It ended its interpreter: ${explainBroken(message.text)}`);
    }
  });
  thread.once("error", (error) => {
    log("error", `a script ended its thread: ${messageOf(error)}`);
    fail("It took too much");
  });
  // If V8 has no memory left, the thread exits, and Deno 2.9.6 gives no reason
  thread.once("exit", () => fail("It takes more memory than a script has"));
  post({ ...input, stop, steps });
  const outcome = await ended.promise;
  Atomics.store(stop, 0, 1);
  cancelTimeout();
  cancelWatch();
  signal?.removeEventListener("abort", onAbort);
  return outcome;
}

function sharedNumber(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

const levelsAround = 2;

function depthOf(json: string): number {
  return scanMessage(new TextEncoder().encode(json)).depth;
}

function explainBroken(error: string): string {
  return /call stack/.test(error) ? "it calls itself too often" : error;
}

/** Reads the failure of a script, as JSON, or as plain text if the script itself sent it. */
function parseFailure(text: string): VmFailure {
  try {
    const { message, stack } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return { failure: String(message), ...(typeof stack === "string" ? { stack } : {}) };
  } catch {
    return { failure: text };
  }
}

function inSeconds(ms: number): string {
  return ms % 60_000 === 0 ? `${ms / 60_000} minutes` : `${ms / 1000} seconds`;
}

async function startThread(): Promise<Worker> {
  const { Worker } = await import("node:worker_threads");
  const resourceLimits = { maxOldGenerationSizeMb: threadHeap, maxYoungGenerationSizeMb: 32 };
  // An empty environment needs no permission of Deno; the client reads stdout, so the thread must not write there
  const options = { resourceLimits, env: {}, stdout: true, stderr: true };
  const thread = new Worker(new URL(threadUrl()), options);
  const ready = Promise.withResolvers<void>();
  thread.once("message", () => ready.resolve());
  // This listener is never removed: without one, an error event of the thread would end this process
  thread.on("error", ready.reject);
  thread.once("exit", () => {
    gone.add(thread);
    ready.reject(new Error("it ended"));
  });
  await ready.promise;
  return thread;
}
