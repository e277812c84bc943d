/** The directory a run is to happen in, from what its config and its arguments say. */

import { isAbsolute, join, normalize } from "node:path";

/** How paths are written where the program runs. */
export interface PathRules {
  isAbsolute(path: string): boolean;
  join(...paths: string[]): string;
  normalize(path: string): string;
}

/**
 * The directory that an argument `asked` for, a relative one seen from `configured`; without one,
 * `configured`. It has no `..` after a name, so that the policy and the system read it alike.
 */
export function workingDirectory(
  configured: string | undefined,
  asked: string | undefined,
  rules: PathRules = { isAbsolute, join, normalize },
): string | undefined {
  if (asked === undefined || asked === "") return configured;
  return configured === undefined || rules.isAbsolute(asked)
    ? rules.normalize(asked)
    : rules.join(configured, asked);
}
