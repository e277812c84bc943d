/**
 * Signals to processes and groups. Deno lets a process send them only when it may run every program;
 * otherwise `kill` sends them, when that may be run.
 */

import { rootFolder } from "../process/folders.ts";
import { ownProgram } from "./own_programs.ts";

/** Most processes that one `kill` is given. */
const maxAtOnce = 1000;

/** Signals that are sent here. */
export type EndingSignal = "SIGTERM" | "SIGCONT" | "SIGKILL";

/** The outcome of a signal. */
export type Delivery = "sent" | "all gone" | "denied";

/**
 * Sends `signal` to each of `targets`: process ids, and groups as negative ones. What is gone or
 * belongs to somebody else is passed over.
 */
export async function sendSignal(
  targets: readonly number[],
  signal: EndingSignal,
): Promise<Delivery> {
  let gone = 0;
  for (const [index, target] of targets.entries()) {
    try {
      Deno.kill(target, signal);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) gone++;
      if (error instanceof Deno.errors.NotCapable) {
        return await sendByProgram(targets.slice(index), signal);
      }
    }
  }
  return gone === targets.length ? "all gone" : "sent";
}

async function sendByProgram(
  targets: readonly number[],
  signal: EndingSignal,
): Promise<Delivery> {
  const name = `-${signal.slice("SIG".length)}`;
  let reached = false;
  try {
    for (let start = 0; start < targets.length; start += maxAtOnce) {
      const some = targets.slice(start, start + maxAtOnce).map(String);
      const { success } = await new Deno.Command(await ownProgram("kill"), {
        args: [name, "--", ...some],
        cwd: rootFolder,
        stdin: "null",
        stdout: "null",
        stderr: "null",
      }).output();
      // One of several that is gone is a failure to `kill`
      reached ||= success || some.length > 1;
    }
    return reached ? "sent" : "all gone";
  } catch {
    return "denied";
  }
}
