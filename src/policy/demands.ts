/** The demands of a policy on an argument, in words. */

import type { Arg } from "../tool/tool.ts";

/** One short text for each demand; a fixed value first. */
export function demandsOn({ fixed, constraint }: Pick<Arg, "fixed" | "constraint">): string[] {
  if (constraint === undefined) return [];
  const { pattern, min, max, maxLength, within, allowLeadingDash, secret } = constraint;
  return [
    ...(fixed === undefined ? [] : [`is ${secret ? "***" : JSON.stringify(fixed)}`]),
    ...(min === undefined ? [] : [`from ${min}`]),
    ...(max === undefined ? [] : [`to ${max}`]),
    ...(maxLength === undefined ? [] : [`up to ${maxLength} characters`]),
    ...(pattern === undefined ? [] : [`matches ${pattern.source}`]),
    ...(within === undefined ? [] : [`within ${within}`]),
    ...(allowLeadingDash ? ["may begin with -"] : []),
    ...(secret ? ["secret"] : []),
  ];
}
