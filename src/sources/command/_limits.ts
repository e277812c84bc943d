/** The limits that a config sets on values of an argument beyond their type. */

import { privateFolders, privateNames, serverFiles } from "../../exec/private_paths.ts";
import { programPlaces } from "../../exec/search_path.ts";
import type { Finding, Path } from "../../files/finding.ts";
import { type Environment, expandFor } from "../../files/expand.ts";
import type { Arg } from "../../tool/tool.ts";
import type { ArgFile } from "./schema.ts";

/** The environment of a resolve step, and its findings. */
export interface Resolving {
  readonly environment: Environment;
  readonly problems: Finding[];
}

/** Shared lists, by the item of `never` that stands for one. */
const listedNames: Readonly<Record<string, readonly string[]>> = {
  "{private}": [...privateNames, ...privateFolders],
  "{programs}": [...programPlaces, ...serverFiles],
};

export function limitsOf(arg: ArgFile, path: Path, resolving: Resolving): Pick<Arg, "limits"> {
  const { min, max } = arg;
  const names = arg.never === "private" ? ["{private}"] : arg.never;
  const never = names?.flatMap((name) => listedNames[name] ?? [name]);
  const { environment, problems } = resolving;
  const pattern = arg.pattern ?? arg.items?.pattern;
  const within = arg.within
    ? expandFor(arg.within, [...path, "within"], environment, problems)
    : undefined;
  if (never && within === undefined) {
    const message = "'never' is looked for below 'within', and there is none";
    problems.push({ path: [...path, "never"], message, hint: "Add 'within: .'" });
  }
  if (arg.holds_links && !(arg.cwd && arg.within)) {
    const message = "'holds_links' is for a directory to run in that is held by 'within'";
    problems.push({ path: [...path, "holds_links"], message });
  }
  if (typeof min === "number" && typeof max === "number" && min > max) {
    const message = "'min' is more than 'max': no value can be right";
    problems.push({ path: [...path, "min"], message });
  }
  const limits = {
    ...(pattern ? { pattern } : {}),
    ...(typeof min === "number" ? { min } : {}),
    ...(typeof max === "number" ? { max } : {}),
    ...(within === undefined ? {} : { within }),
    ...(never ? { never } : {}),
    ...(arg.excludes?.length ? { excludes: arg.excludes } : {}),
    ...(arg.holds_links ? { holdsLinks: true } : {}),
  };
  return Object.keys(limits).length === 0 ? {} : { limits };
}
