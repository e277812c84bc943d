/**
 * Work on what strangers wrote that may take long: a moment of it is done here, where everybody waits for
 * it, and what takes longer in a thread of its own. Nothing from outside ends a thread that computes, not
 * even `terminate()` (Deno 2.9.6), so that each task looks at the time and at whether it is still wanted.
 */

import { fileURLToPath } from "node:url";
import type { Worker } from "node:worker_threads";
import { BudgetExceeded, inlineBudget } from "../files/work_budget.ts";
import { messageOf } from "../errors.ts";
import { log } from "../log.ts";
import type { TaskRequest, TaskResponse } from "./_worker.ts";
import { threadUrl } from "./_worker_code.ts";
import { type TaskName, type Tasks, tasks } from "./_tasks.ts";
import { FairSemaphore, type Waiter } from "../async/semaphore.ts";

/** Characters of a text that is worked on here at all. */
export const maxInlineLength = 32 * 1024;

/** Milliseconds that a thread may take, which is begun, with what goes on beside it, in one of them. */
const longestMs = 10_000;

/** MiB of values that a thread may have; one that has more is ended, and nothing else with it. */
export const longestHeap = 256;

/** Threads at once, of which a client that is told apart has its share. */
const threads = new FairSemaphore(Math.max(2, Math.min(4, navigator.hardwareConcurrency)));

/** Why there is no answer. */
export interface TaskTimeout {
  readonly timeoutReason: string;
}

/** What a task comes to, wherever it is done. */
export async function runTask<Name extends TaskName>(
  name: Name,
  input: Tasks[Name][0],
  asker: Waiter,
): Promise<Tasks[Name][1] | TaskTimeout> {
  if (sizeOf(input) <= maxInlineLength) {
    try {
      const task = await tasks[name]();
      return await task(input, inlineBudget);
    } catch (error) {
      if (!(error instanceof BudgetExceeded)) throw error;
    }
  }
  const place = await threads.acquire(asker);
  if (place === "cancelled") return { timeoutReason: "the call was cancelled" };
  if (place === "full") return { timeoutReason: "too many others wait for it, try again later" };
  return await runInWorker(name, input, { ...asker, onEnd: place });
}

function sizeOf(input: Tasks[TaskName][0]): number {
  const schema = "schema" in input ? JSON.stringify(input.schema).length : 0;
  // To compile a schema takes much more than to read as many characters
  return input.text.length + 16 * schema;
}

/** Who waits for a thread. */
interface TaskWaiter extends Waiter {
  /** Told when the thread computes no more, which may be after the answer. */
  readonly onEnd: () => void;
}

async function runInWorker<Name extends TaskName>(
  name: Name,
  input: Tasks[Name][0],
  { signal, onEnd }: TaskWaiter,
): Promise<Tasks[Name][1] | TaskTimeout> {
  const thread = await startThread();
  if ("timeoutReason" in thread) {
    onEnd();
    return thread;
  }
  const stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const answer = Promise.withResolvers<Tasks[Name][1] | TaskTimeout>();
  const giveUp = (givenUp: string) => {
    Atomics.store(stop, 0, 1);
    answer.resolve({ timeoutReason: givenUp });
  };
  const onAbort = () => giveUp("the call was cancelled");
  const timer = setTimeout(
    () => giveUp(`it takes more than ${longestMs / 1000} seconds`),
    longestMs,
  );
  thread.once("message", (reply: TaskResponse<Name>) => {
    if ("output" in reply) answer.resolve(reply.output);
    else {
      log("error", `task '${name}' failed in a thread: ${reply.failure}`);
      giveUp(`it failed: ${reply.failure}`);
    }
    void thread.terminate();
  });
  thread.once("error", (error) => {
    log("error", `task '${name}' ended its thread: ${messageOf(error)}`);
    giveUp("it took too much");
  });
  thread.once("exit", () => {
    // Deno says no more of one whose heap is full (2.9.6)
    giveUp(`it takes more than ${longestHeap} MiB of memory`);
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    onEnd();
  });
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  thread.postMessage({ name, input, stop } satisfies TaskRequest<Name>);
  return await answer.promise;
}

async function startThread(): Promise<Worker | TaskTimeout> {
  const url = threadUrl();
  const lacking = lackingFor(url);
  if (lacking !== undefined) return lacking;
  const { Worker } = await import("node:worker_threads");
  const resourceLimits = { maxOldGenerationSizeMb: longestHeap, maxYoungGenerationSizeMb: 32 };
  // Without the environment and its permission; nothing in a thread prints
  return new Worker(new URL(url), { resourceLimits, env: {}, stdout: true, stderr: true });
}

/** Directories that a thread is begun from: from source its code is read anew, a bundle has it in itself. */
export function threadFiles(): string[] {
  return sourceOf(threadUrl());
}

/** The directory of all sources, for a thread's code is spread over them. */
function sourceOf(url: string): string[] {
  return url.startsWith("file:") ? [fileURLToPath(new URL("..", url)).replace(/[\\/]$/, "")] : [];
}

/** Why no thread can be begun. */
function lackingFor(url: string): TaskTimeout | undefined {
  const [path] = sourceOf(url);
  if (path === undefined) return undefined;
  if (Deno.permissions.querySync({ name: "read", path }).state === "granted") return undefined;
  return {
    timeoutReason: `it takes longer than a moment, for which --allow-read=${path} is needed`,
  };
}
