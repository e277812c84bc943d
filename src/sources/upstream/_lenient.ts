/** Reads values of untrusted servers. One part that does not fit costs itself, and not the value that it is a part of. */

import type * as z from "zod";
import { describeIssues } from "../../files/issues.ts";
import { visible } from "../../text/escape.ts";

/** Most parts of one value that are left out. */
const maxLeftOut = 20;

type Read<T> =
  /** `leftOut` has a reason for each part that is not in the item. */
  | { readonly item: T; readonly leftOut: readonly string[] }
  | { readonly reason: string };

/** Reads `value` by `schema` without the optional members and entries of lists that do not fit. */
export function readLeniently<T>(schema: z.ZodType<T>, value: unknown): Read<T> {
  const leftOut = new Map<string, string>();
  for (let rest = value;;) {
    const parsed = schema.safeParse(rest, { reportInput: true });
    if (parsed.success) return { item: parsed.data, leftOut: [...leftOut.values()] };
    const [finding] = describeIssues(parsed.error.issues, schema);
    const { path, message } = finding!;
    const place = path.join("\n");
    const [issue] = parsed.error.issues;
    // An issue of the whole names its part itself
    const words = issue!.path.length === 0 ? [issue!.message] : [...path.slice(0, -1), message];
    const reason = visible(words.join(": "));
    rest = without(rest, issue!.path);
    if (rest === undefined || leftOut.size >= maxLeftOut) {
      return { reason: leftOut.get(place) ?? reason };
    }
    leftOut.set(place, reason);
  }
}

/** Returns `value` without the deepest part on `path` that is there; nothing if that is `value` itself. */
function without(value: unknown, [key, ...rest]: readonly PropertyKey[]): unknown {
  if (key === undefined || typeof value !== "object" || value === null) return undefined;
  if (!Object.hasOwn(value, key)) return undefined;
  const inner = without((value as Record<PropertyKey, unknown>)[key], rest);
  if (Array.isArray(value)) {
    return inner === undefined ? value.toSpliced(Number(key), 1) : value.with(Number(key), inner);
  }
  const { [key]: _, ...others } = value as Record<PropertyKey, unknown>;
  return inner === undefined ? others : { ...others, [key]: inner };
}
