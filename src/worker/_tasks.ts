/** The tasks that can take long, by name. Inputs and outputs are data, so that they can be sent to a worker. */

import type { MatchingInput, MatchingLines } from "../files/matching_lines.ts";
import type { PathInput, PathValues } from "../files/json_path.ts";
import type { WorkBudget } from "../files/work_budget.ts";
import type { Shape, ShapeInput } from "../files/shape.ts";

/** The input and the output of each task. */
export interface Tasks {
  readonly shape: readonly [ShapeInput, Shape];
  readonly path: readonly [PathInput, PathValues];
  readonly lines: readonly [MatchingInput, MatchingLines | { readonly noPattern: string }];
}

export type TaskName = keyof Tasks;

/** @throws {BudgetExceeded} if `budget` is used up, and a larger one might be enough */
export type Task<Name extends TaskName> = (
  input: Tasks[Name][0],
  budget: WorkBudget,
) => Tasks[Name][1] | Promise<Tasks[Name][1]>;

/** Loads the code of a task at its first use. */
export const tasks: { readonly [Name in TaskName]: () => Promise<Task<Name>> } = {
  shape: async () => (await import("../files/shape.ts")).shape,
  path: async () => (await import("../files/json_path.ts")).pathValues,
  lines: async () => (await import("../files/matching_lines.ts")).matchingLines,
};
