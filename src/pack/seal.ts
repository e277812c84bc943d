/**
 * A server for exactly some configs under exactly one policy: their texts inside, its permissions
 * exactly those that serving them takes.
 */

import type { SealedContents, SealedFile } from "../process/build_info.ts";
import { locatePolicy } from "../policy/locate.ts";
import { locateConfig } from "../sources/command/locate.ts";
import { withoutSets } from "../sources/command/sets.ts";
import { ClimaxError, ExitCode, type Problem } from "../errors.ts";

/** What to seal. */
export interface SealOptions {
  readonly configs: readonly string[];
  readonly policy?: string | undefined;
  readonly classic: boolean;
}

/**
 * Reads the files to be sealed; what they are worth is checked by opening a session over them.
 *
 * @throws {ClimaxError} when one cannot be read
 */
export async function readSealed(
  { configs, policy, classic }: SealOptions,
): Promise<Omit<SealedContents, "permissions">> {
  const problems: Problem[] = [];
  const files = new Map<string, SealedFile>();
  for (const located of await Promise.all(withoutSets(configs).map(locateConfig))) {
    if ("text" in located) files.set(located.key, { file: located.file, text: located.text });
    else problems.push(located);
  }
  const read = policy === undefined ? undefined : await locatePolicy(policy);
  if (read?.ok === false) problems.push(read.problem);
  if (problems.length > 0) throw new ClimaxError("Nothing was built", ExitCode.file, problems);
  return {
    configs: [...files.values()],
    ...(read?.ok ? { policy: { file: read.file, text: read.text } } : {}),
    classic,
  };
}
