/** Ends a build task: errors that were written for people are printed in full, without a stack. */

import { ClimaxError, ExitCode, formatProblem } from "../src/errors.ts";

/** Writes a line to stderr. */
export function say(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
}

/** Runs `work`; a {@linkcode ClimaxError} is printed and sets the exit code of the task. */
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

/** Returns the error of a build whose bundle is not as expected; `hint` is a remedy. */
export function notBuilt(
  message: string,
  hint = "Deno or a package writes it otherwise now: adapt the file of build/ that changes it",
): ClimaxError {
  return new ClimaxError("Nothing was built", ExitCode.file, [{ message, hint }]);
}
