/**
 * Sends signals to processes and groups. Deno allows that only with permission to run every program; otherwise `kill`
 * is used, if permitted.
 */

import { rootFolder } from "../process/folders.ts";
import { ownProgram } from "./own_programs.ts";

/** Most processes for one `kill`. */
const maxAtOnce = 1000;

export type EndingSignal = "SIGTERM" | "SIGCONT" | "SIGKILL";

export type Delivery = "sent" | "all gone" | "denied";

/**
 * Sends `signal` to `targets`: process ids, and groups as negative numbers. Ended processes and those of other users
 * are ignored.
 */
export async function sendSignal(
  targets: readonly number[],
  signal: EndingSignal,
): Promise<Delivery> {
  let missing = 0;
  for (const [index, target] of targets.entries()) {
    try {
      Deno.kill(target, signal);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) missing++;
      if (error instanceof Deno.errors.NotCapable) {
        return await sendByProgram(targets.slice(index), signal);
      }
    }
  }
  return missing === targets.length ? "all gone" : "sent";
}

async function sendByProgram(
  targets: readonly number[],
  signal: EndingSignal,
): Promise<Delivery> {
  const name = `-${signal.slice("SIG".length)}`;
  let isSent = false;
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
      // `kill` fails if one of several is gone
      isSent ||= success || some.length > 1;
    }
    return isSent ? "sent" : "all gone";
  } catch {
    return "denied";
  }
}
