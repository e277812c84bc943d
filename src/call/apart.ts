/**
 * Work on what strangers wrote that may take long: a moment of it is done here, where everybody waits for
 * it, and what takes longer in a thread of its own. A thread can be ended whatever it does, which holds of
 * no path, pattern or parser that runs here, and is why its time has a bound that nothing gets around.
 */

import { fileURLToPath } from "node:url";
import { hasty, NotHere } from "../document/patience.ts";
import { log } from "../log.ts";
import type { Reply } from "./_apart_worker.ts";
import { threadCode } from "./_apart_code.ts";
import { type TaskName, type Tasks, tasks } from "./_tasks.ts";
import { type Asker, RunQueue } from "./queue.ts";

/** Characters of a text that is worked on here at all. */
export const longestHere = 32 * 1024;

/** Milliseconds that a thread may take, which is begun, with what goes on beside it, in one of them. */
const longestMs = 10_000;

/** Threads at once, of which a client that is told apart has its share. */
const threads = new RunQueue(Math.max(2, Math.min(4, navigator.hardwareConcurrency)));

/** Why there is no answer. */
export interface GivenUp {
  readonly givenUp: string;
}

/** What a task comes to, wherever it is done. */
export async function carryOut<Name extends TaskName>(
  name: Name,
  input: Tasks[Name][0],
  asker: Asker,
): Promise<Tasks[Name][1] | GivenUp> {
  if (sizeOf(input) <= longestHere) {
    try {
      const task = await tasks[name]();
      return await task(input, hasty);
    } catch (error) {
      if (!(error instanceof NotHere)) throw error;
    }
  }
  const place = await threads.acquire(asker);
  if (place === "cancelled") return { givenUp: "the call was cancelled" };
  if (place === "full") return { givenUp: "too many others wait for it, try again later" };
  try {
    return await apart(name, input, asker);
  } finally {
    place();
  }
}

function sizeOf(input: Tasks[TaskName][0]): number {
  const schema = "schema" in input ? JSON.stringify(input.schema).length : 0;
  // To compile a schema takes much more than to read as many characters
  return input.text.length + 16 * schema;
}

async function apart<Name extends TaskName>(
  name: Name,
  input: Tasks[Name][0],
  { signal }: Asker,
): Promise<Tasks[Name][1] | GivenUp> {
  const { url, release } = await threadCode();
  const lacking = lackingFor(url);
  if (lacking !== undefined) return lacking;
  const reply = Promise.withResolvers<Tasks[Name][1] | GivenUp>();
  const giveUp = (givenUp: string) => reply.resolve({ givenUp });
  const onAbort = () => giveUp("the call was cancelled");
  const timer = setTimeout(
    () => giveUp(`it takes more than ${longestMs / 1000} seconds`),
    longestMs,
  );
  const thread = new Worker(url, { type: "module" });
  try {
    thread.onmessage = ({ data }: MessageEvent<Reply<Name>>) => {
      if ("output" in data) return reply.resolve(data.output);
      log("error", `task '${name}' failed in a thread: ${data.failure}`);
      giveUp(`it failed: ${data.failure}`);
    };
    thread.onerror = (event) => {
      event.preventDefault();
      log("error", `task '${name}' ended its thread: ${event.message}`);
      giveUp("it took too much");
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    thread.postMessage({ name, input });
    return await reply.promise;
  } finally {
    thread.terminate();
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    release();
  }
}

/** Directories that a thread is begun from: from source its code is read anew, a bundle has it in itself. */
export async function threadFiles(): Promise<string[]> {
  const { url, release } = await threadCode();
  release();
  return sourceOf(url);
}

/** The directory of all sources, for a thread's code is spread over them. */
function sourceOf(url: string): string[] {
  return url.startsWith("file:") ? [fileURLToPath(new URL("..", url)).replace(/[\\/]$/, "")] : [];
}

/** Why no thread can be begun. */
function lackingFor(url: string): GivenUp | undefined {
  const [path] = sourceOf(url);
  if (path === undefined) return undefined;
  if (Deno.permissions.querySync({ name: "read", path }).state === "granted") return undefined;
  return { givenUp: `it takes longer than a moment, for which --allow-read=${path} is needed` };
}
