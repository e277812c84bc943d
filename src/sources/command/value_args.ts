/** The arguments of a tool that is no program, written as in a config: their schema, their checks, and what they are. */

import type { Finding, Path } from "../../files/finding.ts";
import type { Arg } from "../../tool/tool.ts";
import { checkArgs } from "./check.ts";
import { checkArgPatterns } from "./read_config.ts";
import { resolveArg } from "./_resolve_arg.ts";
import { type ArgFile, valueArgSchema } from "./schema.ts";

export const valueArgs = {
  /** Of one argument. */
  schema: valueArgSchema,
  /** Rules between keys, for arguments that may fail the schema. */
  check: checkArgs,
  async resolve(
    written: readonly ArgFile[],
    path: Path,
  ): Promise<{ readonly args: readonly Arg[]; readonly findings: readonly Finding[] }> {
    const problems: Finding[] = [];
    const resolving = { environment: () => undefined, problems };
    const args = written.map((arg, at): Arg => ({
      ...resolveArg(arg, [...path, at], resolving),
      role: { kind: "json" },
    }));
    return { args, findings: [...problems, ...await checkArgPatterns(written, path)] };
  },
};
