/** Runs one task in a worker. All imports are static, because a later import would need permissions. */

import { threadCpuUsage } from "node:process";
import { parentPort } from "node:worker_threads";
import { type MatchingInput, type MatchingLines, matchingLines } from "../files/matching_lines.ts";
import { type WorkBudget, workerBudget } from "../files/work_budget.ts";
import { type Shape, shape, type ShapeInput } from "../files/shape.ts";
import { messageOf } from "../errors.ts";
import { type PathInput, type PathValues, pathValues } from "../files/json_path.ts";

export interface Tasks {
  readonly shape: readonly [ShapeInput, Shape];
  readonly path: readonly [PathInput, PathValues];
  readonly lines: readonly [MatchingInput, MatchingLines | { readonly noPattern: string }];
}

export type TaskName = keyof Tasks;

/** Runs a task. @throws {BudgetExceeded} if `budget` is used up; a larger budget might suffice */
export type Task<Name extends TaskName> = (
  input: Tasks[Name][0],
  budget: WorkBudget,
) => Tasks[Name][1] | Promise<Tasks[Name][1]>;

const tasks: { readonly [Name in TaskName]: Task<Name> } = {
  shape,
  path: pathValues,
  lines: matchingLines,
};

export interface TaskRequest<Name extends TaskName> {
  readonly name: Name;
  readonly input: Tasks[Name][0];
  /** Any value but 0 asks the task to stop: no other thread can end a thread that computes. */
  readonly stop: Int32Array<SharedArrayBuffer>;
}

export type TaskResponse<Name extends TaskName> =
  | { readonly output: Tasks[Name][1] }
  | { readonly failure: string };

parentPort!.once("message", async ({ name, input, stop }: TaskRequest<TaskName>) => {
  const isStopped = () => Atomics.load(stop, 0) !== 0;
  const send = (reply: TaskResponse<TaskName>) => parentPort!.postMessage(reply);
  try {
    const task = tasks[name] as Task<TaskName>;
    send({ output: await task(input, { ...workerBudget, isStopped, now: spentMs }) });
  } catch (error) {
    send({ failure: messageOf(error) });
  }
});

let [cpuMs, readAt] = [0, -Infinity];

/** Returns the milliseconds that this thread has computed. Measuring is slow, so it is done ten times a second. */
function spentMs(): number {
  if (performance.now() - readAt > 100) {
    const { user, system } = threadCpuUsage();
    [cpuMs, readAt] = [(user + system) / 1000, performance.now()];
  }
  return cpuMs + performance.now() - readAt;
}
