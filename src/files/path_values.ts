/** Selects the values of a JSONPath in a text, each as a line of JSON. */

import { messageOf } from "../errors.ts";
import { excerpt } from "../text/excerpt.ts";
import { jsonWithoutControls } from "../text/escape.ts";
import { parseExactly } from "./exact_json.ts";
import { compilePath, PathError, PathSteps } from "./json_path.ts";
import type { WorkBudget } from "./work_budget.ts";

/** A path, and the range of its values to return. */
export interface PathInput {
  /** JSON, or lines of JSON. */
  readonly text: string;
  readonly path: string;
  /** The first value, from 1. */
  readonly from: number;
  /** Values at most. */
  readonly most: number;
  /** No value begins beyond this many characters. */
  readonly characters: number;
}

/** The values, or the reason why there are none. */
export type PathValues =
  | { readonly rows: readonly string[]; readonly hasMore: boolean; readonly isBehind: boolean }
  | { readonly noPath: string }
  | { readonly noJson: string };

/** Selects the values. @throws {BudgetExceeded} when a larger budget may do */
export function pathValues({ text, path, ...range }: PathInput, budget: WorkBudget): PathValues {
  const steps = new PathSteps(budget);
  const selecting = compilePath(path, steps);
  if (typeof selecting !== "function") return { noPath: selecting.reason };
  steps.renew();
  try {
    const read = valueOf(text, () => steps.look());
    if ("reason" in read) return { noJson: read.reason };
    steps.renew();
    return taken(selecting(read.value), range);
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    return { noPath: error.message };
  }
}

function taken(
  values: Iterable<unknown>,
  { from, most, characters }: Pick<PathInput, "from" | "most" | "characters">,
): PathValues {
  const rows: string[] = [];
  let count = 0;
  let length = 0;
  for (const value of values) {
    count++;
    if (count < from) continue;
    if (rows.length === most || length > characters) {
      return { rows, hasMore: true, isBehind: false };
    }
    const row = jsonWithoutControls(value);
    rows.push(row);
    length += row.length;
  }
  return { rows, hasMore: false, isBehind: count > 0 && rows.length === 0 };
}

/** Parses a text: JSON, or lines of JSON as a list. */
function valueOf(
  text: string,
  look: () => void,
): { readonly value: unknown } | { readonly reason: string } {
  try {
    return { value: parseExactly(text, look) };
  } catch (error) {
    if (!isNoJson(error)) throw error;
    const reason = excerpt(messageOf(error).split("\n", 1)[0]!, 200);
    try {
      const lines = text.split("\n").filter((line) => line.trim() !== "");
      if (lines.length < 2) return { reason };
      return {
        value: lines.map((line) => {
          look();
          return parseExactly(line, look);
        }),
      };
    } catch (error) {
      if (!isNoJson(error)) throw error;
      return { reason };
    }
  }
}

function isNoJson(error: unknown): boolean {
  return error instanceof SyntaxError || error instanceof RangeError;
}
