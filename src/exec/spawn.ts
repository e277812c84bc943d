/** Starts the program of an invocation. */

import { childOptions } from "../io.ts";
import { withArgv0 } from "./argv0.ts";
import { environmentOf } from "./child_environment.ts";
import { needsSession } from "./containment.ts";
import type { Ending, Invocation } from "./invocation.ts";
import { markedWith, markVariable, newMark } from "./mark.ts";
import type { Started } from "./process_tree.ts";
import { isStartable } from "./program.ts";
import { describeStartFailure } from "./start_failure.ts";

/** Starts `program` with a mark, and with pipes for its output and, if it has one, its input. */
export async function spawn(
  program: string,
  invocation: Invocation,
): Promise<Started | Extract<Ending, { kind: "not started" }>> {
  const { argv: [name, ...args], cwd, env, inherit, stdin, hidesStderr = false } = invocation;
  if (!isStartable(program)) {
    return { kind: "not started", failure: "no program of this system", detail: program };
  }
  const mark = newMark();
  const leads = needsSession();
  try {
    const child = new Deno.Command(program, {
      args,
      ...childOptions({
        cwd,
        ...environmentOf({ ...env, [markVariable]: markedWith(mark) }, inherit),
      }),
      stdin: stdin === undefined ? "null" : "piped",
      stdout: "piped",
      stderr: hidesStderr ? "null" : "piped",
      detached: leads,
      ...(program === name ? {} : withArgv0(name)),
    }).spawn();
    return { child, mark, leads };
  } catch (error) {
    return await describeStartFailure(error, invocation);
  }
}
