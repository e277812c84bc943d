/** Texts of a policy with variables in them. */

import type { Finding } from "../document/document.ts";
import { type Environment, expand } from "../document/expand.ts";

/** `text` with its variables filled in; those that are not set become problems at `path`. */
export function expandFor(
  text: string,
  path: string[],
  environment: Environment,
  problems: Finding[],
): string {
  // A variable that is set to nothing would widen what it is a part of
  const { text: expanded, unset } = expand(text, (name) => environment(name) || undefined);
  for (const name of unset) {
    problems.push({ path, message: `'${text}': variable $${name} is not set, or empty` });
  }
  return expanded;
}
