/**
 * Runs tasks on texts of strangers, which may take long: for a moment on this thread, then in a worker. Not even
 * `terminate()` ends a thread that computes (https://github.com/denoland/deno/pull/35657), so each task checks the time.
 */

import { cpuUsage } from "node:process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Worker } from "node:worker_threads";
import { BudgetExceeded, inlineBudget } from "../files/work_budget.ts";
import { messageOf } from "../errors.ts";
import { log } from "../log.ts";
import { mayRead } from "../process/permissions.ts";
import type { Task, TaskName, TaskRequest, TaskResponse, Tasks } from "./_worker.ts";
import { threadUrl } from "./_worker_code.ts";
import { type Clock, repeat, systemClock } from "../async/clock.ts";
import { FairSemaphore, type Waiter } from "../async/semaphore.ts";

/** A task is tried on this thread first if its input has at most this many characters. */
export const maxInlineLength = 32 * 1024;

/** A task fails when the process has used this many milliseconds of processor time since the start of the task. */
const timeoutMs = 10_000;

/** A task fails after this many times `timeoutMs` by the clock, since a busy machine gives little processor time. */
const maxTimeouts = 6;

/** The heap of a worker has at most this many MiB; a worker that needs more is ended. */
export const maxHeapLength = 256;

/** At most this many workers run at once, shared fairly among clients. */
const threads = new FairSemaphore(Math.max(2, Math.min(4, navigator.hardwareConcurrency)));

interface TaskTimeout {
  readonly timeoutReason: string;
}

export async function runTask<Name extends TaskName>(
  name: Name,
  input: Tasks[Name][0],
  waiter: Waiter & { readonly clock?: Clock },
): Promise<Tasks[Name][1] | TaskTimeout> {
  if (sizeOf(input) <= maxInlineLength) {
    try {
      const task = await tasks[name]();
      return await task(input, inlineBudget);
    } catch (error) {
      if (!(error instanceof BudgetExceeded)) throw error;
    }
  }
  const release = await threads.acquire(waiter);
  if (release === "cancelled") return { timeoutReason: "the call was cancelled" };
  if (release === "full") return { timeoutReason: "too many others wait for it, try again later" };
  return await runInWorker(name, input, { ...waiter, onEnd: release });
}

const tasks: { readonly [Name in TaskName]: () => Promise<Task<Name>> } = {
  shape: async () => (await import("../files/shape.ts")).shape,
  path: async () => (await import("../files/json_path.ts")).pathValues,
  lines: async () => (await import("../files/matching_lines.ts")).matchingLines,
};

function sizeOf(input: Tasks[TaskName][0]): number {
  const schema = "schema" in input ? JSON.stringify(input.schema).length : 0;
  // Compiling a schema takes much longer than reading a text of its length, so its length counts 16 times
  return input.text.length + 16 * schema;
}

/** Runs a task in a worker. `onEnd` is called once the worker computes no more, perhaps later than the answer. */
async function runInWorker<Name extends TaskName>(
  name: Name,
  input: Tasks[Name][0],
  { signal, onEnd, clock = systemClock }: Waiter & { clock?: Clock; onEnd: () => void },
): Promise<Tasks[Name][1] | TaskTimeout> {
  const thread = await startThread();
  if ("timeoutReason" in thread) {
    onEnd();
    return thread;
  }
  const stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const answer = Promise.withResolvers<Tasks[Name][1] | TaskTimeout>();
  const fail = (reason: string) => {
    Atomics.store(stop, 0, 1);
    answer.resolve({ timeoutReason: reason });
  };
  const onAbort = () => fail("the call was cancelled");
  const began = cpuUsage();
  let timeouts = 0;
  const cancelTimeouts = repeat(clock, timeoutMs, () => {
    const { user, system } = cpuUsage(began);
    if (++timeouts < maxTimeouts && (user + system) / 1000 < timeoutMs) return;
    fail(`it takes more than ${timeoutMs / 1000} seconds`);
  });
  thread.once("message", (reply: TaskResponse<Name>) => {
    if ("output" in reply) answer.resolve(reply.output);
    else {
      log("error", `task '${name}' failed in a thread: ${reply.failure}`);
      fail(`it failed: ${reply.failure}`);
    }
    void thread.terminate();
  });
  thread.once("error", (error) => {
    log("error", `task '${name}' ended its thread: ${messageOf(error)}`);
    fail("it took too much");
  });
  thread.once("exit", () => {
    // A full heap ends the thread without an error (https://github.com/denoland/deno/pull/32430)
    fail(`it takes more than ${maxHeapLength} MiB of memory`);
    cancelTimeouts();
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
  const [path] = sourceOf(url);
  if (path !== undefined && !mayRead(path)) {
    const needed = `for which --allow-read=${path} is needed`;
    return { timeoutReason: `it takes longer than a moment, ${needed}` };
  }
  const { Worker } = await import("node:worker_threads");
  const resourceLimits = { maxOldGenerationSizeMb: maxHeapLength, maxYoungGenerationSizeMb: 32 };
  // An empty `env` needs no permission. Output of the worker must not mix with MCP messages on stdout
  return new Worker(new URL(url), { resourceLimits, env: {}, stdout: true, stderr: true });
}

/** Returns the folder with the code of workers, which needs read permission; none for a bundle, which has the code. */
export function codeFolders(): string[] {
  return sourceOf(threadUrl());
}

function sourceOf(url: string): string[] {
  return url.startsWith("file:") ? [dirname(dirname(fileURLToPath(url)))] : [];
}
