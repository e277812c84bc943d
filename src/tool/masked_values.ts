/** The values of a call for people and logs. */

import type { Tool } from "./tool.ts";

/** `values` as an object, those that the policy keeps out of logs masked. */
export function maskValues(
  { args }: Pick<Tool, "args">,
  values: Iterable<readonly [string, unknown]>,
): Record<string, unknown> {
  const secret = new Set(
    args.filter(({ constraint }) => constraint?.secret).map((arg) => arg.name),
  );
  const masked = Array.from(values, ([name, value]) => [name, secret.has(name) ? "***" : value]);
  return Object.fromEntries(masked);
}
