/** What takes long with some inputs, by name: a text and a question, and an answer that is data. */

import type { MatchingInput, MatchingLines } from "../files/matching_lines.ts";
import type { PathInput, PathValues } from "../files/path_values.ts";
import type { WorkBudget } from "../files/work_budget.ts";
import type { Shape, ShapeInput } from "../files/shape.ts";

/** What each task takes, and what it comes to. */
export interface Tasks {
  readonly shape: readonly [ShapeInput, Shape];
  readonly path: readonly [PathInput, PathValues];
  readonly lines: readonly [MatchingInput, MatchingLines | { readonly noPattern: string }];
}

/** The name of a task. */
export type TaskName = keyof Tasks;

/** Does a task. @throws {NotHere} where `patience` is at its end, and another might not be */
export type Task<Name extends TaskName> = (
  input: Tasks[Name][0],
  patience: WorkBudget,
) => Tasks[Name][1] | Promise<Tasks[Name][1]>;

/** The code of a task, which is loaded when the first is done. */
export const tasks: { readonly [Name in TaskName]: () => Promise<Task<Name>> } = {
  shape: async () => (await import("../files/shape.ts")).shape,
  path: async () => (await import("../files/path_values.ts")).pathValues,
  lines: async () => (await import("../files/matching_lines.ts")).matchingLines,
};
