/** Starts the program of an invocation. */

import { needsSession } from "./containment.ts";
import type { Invocation } from "./invocation.ts";
import { markedWith, markVariable, newMark } from "./mark.ts";
import type { Started } from "./process_tree.ts";

/** Starts it, marked, with pipes for what it writes and for its input if it has one. */
export function spawn({ argv, cwd, env, stdin }: Invocation): Started {
  const [program, ...args] = argv;
  const mark = newMark();
  const leads = needsSession();
  const child = new Deno.Command(program, {
    args,
    env: { ...env, [markVariable]: markedWith(mark) },
    ...(cwd === undefined ? {} : { cwd }),
    stdin: stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
    detached: leads,
  }).spawn();
  return { child, mark, leads };
}
