/** Lets a call that has found nothing look further, as `retry_with` of its tool says: an empty answer is not taken for all there is. */

import { type CallResult, withNotes } from "../../tool/result.ts";
import type { ArgValues, Tool } from "../../tool/tool.ts";
import { commandSourceOf } from "./source.ts";

/** Returns the values of a second run; nothing if it would find no more, or a policy has a say on its arguments. */
export function widerValues(tool: Tool, values: ArgValues) {
  const more = Object.entries(commandSourceOf(tool).retryWith ?? {});
  const args = more.map(([name]) => tool.args.find((arg) => arg.name === name));
  if (args.some((arg) => arg === undefined || arg.fixed !== undefined || arg.constraint)) return;
  const isWider = more.some(([name, value], at) => {
    return args[at]!.role.kind !== "lines" && values.get(name) !== value;
  });
  return isWider ? { values: new Map([...values, ...more]) } : undefined;
}

/** Returns whether a program has ended with an exit code that has a meaning, and has printed nothing. */
export function foundNothing({ isError = false, record }: CallResult): boolean {
  return !isError && (record?.exit_code ?? 0) !== 0 && record?.stdout_bytes === 0;
}

/** Returns `more`, the result of a second and wider search, with a line that names the arguments that made it wider. */
export function tellDifference(tool: Tool, more: CallResult): CallResult {
  const args = Object.entries(commandSourceOf(tool).retryWith ?? {});
  const names = args.filter(([, value]) => value === true).map(([name]) => name);
  return withNotes(more, `[found only with ${names.join(", ")}]`);
}
