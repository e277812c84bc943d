/**
 * A thread for one task, which ends with it: {@linkcode apart} starts it. Its imports are not lazy, for
 * what a thread imports later takes a permission to read.
 */

import { matchingLines } from "../document/matching_lines.ts";
import { pathValues } from "../document/path_values.ts";
import { patient } from "../document/patience.ts";
import { shape } from "../document/shape.ts";
import { messageOf } from "../errors.ts";
import type { Task, TaskName, Tasks } from "./_tasks.ts";

const tasks: { readonly [Name in TaskName]: Task<Name> } = {
  shape,
  path: pathValues,
  lines: matchingLines,
};

/** What the thread is told to do. */
export interface Order<Name extends TaskName> {
  readonly name: Name;
  readonly input: Tasks[Name][0];
}

/** What it came to. */
export type Reply<Name extends TaskName> =
  | { readonly output: Tasks[Name][1] }
  | { readonly failure: string };

/** The global scope of a thread, which the types of the program do not have. */
interface ThreadScope {
  onmessage: (event: MessageEvent<Order<TaskName>>) => void;
  postMessage(reply: Reply<TaskName>): void;
}

const scope = globalThis as unknown as ThreadScope;

scope.onmessage = async ({ data: { name, input } }) => {
  try {
    const task = tasks[name] as Task<TaskName>;
    scope.postMessage({ output: await task(input, patient) });
  } catch (error) {
    scope.postMessage({ failure: messageOf(error) });
  }
};
