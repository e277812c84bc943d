/** Builds a server of exactly some configs under one policy, with only the permissions for it. */

import type { SealedContents } from "../process/build_info.ts";
import { locatePolicy } from "../policy/locate.ts";
import { locateConfigs } from "../sources/command/locate.ts";
import { FileError } from "../errors.ts";

interface SealOptions {
  readonly configs: readonly string[];
  readonly policy?: string | undefined;
  readonly sandbox?: true | undefined;
  readonly scripts?: true | undefined;
  readonly classic: boolean;
}

/** Reads the files to seal, without checking their content. @throws {ClimaxError} */
export async function readSealed(
  { configs, policy, sandbox, scripts, classic }: SealOptions,
): Promise<Omit<SealedContents, "permissions">> {
  const located = await locateConfigs(configs);
  const read = policy === undefined ? undefined : await locatePolicy(policy);
  const problems = [...located.problems, ...(read?.ok === false ? [read.problem] : [])];
  if (problems.length > 0) throw new FileError("Nothing was built", ...problems);
  const { readAcceptedTexts: acceptedTexts } = await import("../sources/scripts/kept_tools.ts");
  return {
    configs: located.configs.map(({ file, text }) => ({ file, text })),
    ...(read?.ok ? { policy: { file: read.file, text: read.text } } : {}),
    ...(sandbox ? { sandbox } : {}),
    ...(scripts ? { scripts } : {}),
    keptScripts: { texts: await acceptedTexts(located.files) },
    classic,
  };
}
