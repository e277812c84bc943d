/** What a config states of an argument's values beyond their type. */

import type { Finding, Path } from "../../document/document.ts";
import { type Environment, expand } from "../../document/expand.ts";
import type { Arg } from "../../tool/tool.ts";
import type { ArgFile } from "./schema.ts";

/** What resolving may look up, and where it says what is wrong. */
export interface Resolving {
  readonly environment: Environment;
  readonly problems: Finding[];
}

/** The limits of `arg`, if it has any. */
export function limitsOf(arg: ArgFile, path: Path, resolving: Resolving): Pick<Arg, "limits"> {
  const { min, max, never } = arg;
  const pattern = arg.pattern ?? arg.items?.pattern;
  const within = arg.within ? directoryOf(arg.within, [...path, "within"], resolving) : undefined;
  if (never && within === undefined && !arg.within) {
    const message = "'never' is looked for below 'within', and there is none";
    resolving.problems.push({ path: [...path, "never"], message, hint: "Add 'within: .'" });
  }
  if (arg.holds_links && !(arg.cwd && arg.within)) {
    const message = "'holds_links' is for a directory to run in that is held by 'within'";
    resolving.problems.push({ path: [...path, "holds_links"], message });
  }
  if (typeof min === "number" && typeof max === "number" && min > max) {
    const message = "'min' is more than 'max': no value can be right";
    resolving.problems.push({ path: [...path, "min"], message });
  }
  const limits = {
    ...(pattern ? { pattern } : {}),
    ...(typeof min === "number" ? { min } : {}),
    ...(typeof max === "number" ? { max } : {}),
    ...(within === undefined ? {} : { within }),
    ...(never ? { never } : {}),
    ...(arg.holds_links ? { holdsLinks: true } : {}),
  };
  return Object.keys(limits).length === 0 ? {} : { limits };
}

/** A directory with its variables filled in; one that is set to nothing would widen it. */
function directoryOf(
  text: string,
  path: Path,
  { environment, problems }: Resolving,
): string | undefined {
  const { text: directory, unset } = expand(text, (name) => environment(name) || undefined);
  for (const name of unset) {
    problems.push({ path, message: `'${text}': variable $${name} is not set, or empty` });
  }
  return unset.length > 0 ? undefined : directory;
}
