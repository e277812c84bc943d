/** How a task that builds something ends: what was written for people is said in full, and no stack. */

import { ClimaxError, formatProblem } from "../src/errors.ts";

/** Writes a line to stderr. */
export function say(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
}

/** Does `work`; a {@linkcode ClimaxError} of its is said, and its exit code is the task's. */
export async function sayingProblems(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ClimaxError)) throw error;
    const { message, problems } = error;
    for (const problem of problems.length > 0 ? problems : [{ message }]) {
      say(formatProblem(problem));
    }
    Deno.exitCode = error.exitCode;
  }
}
