/** Resolves the working directory of a run from its config and its arguments. */

import { isAbsolute, join, normalize } from "node:path";

/** The path rules of the system that runs the program. */
export interface PathRules {
  isAbsolute(path: string): boolean;
  join(...paths: string[]): string;
  normalize(path: string): string;
}

/**
 * The directory `directory` of an argument, relative to `configured`; without one, `configured`. It has no `..` after a name,
 * so that the policy and the system read it alike.
 */
export function workingDirectory(
  configured: string | undefined,
  directory: string | undefined,
  rules: PathRules = { isAbsolute, join, normalize },
): string | undefined {
  if (directory === undefined || directory === "") return configured;
  return configured === undefined || rules.isAbsolute(directory)
    ? rules.normalize(directory)
    : rules.join(configured, directory);
}
