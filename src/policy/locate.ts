/** Finds the text of a policy: a bundled one by name, or a file. */

import { systemPath } from "../io.ts";
import { readTextFile, type TextFile } from "../files/text_file.ts";
import type { NamedText } from "../text/named_text.ts";
import { nearHint } from "../text/similar_names.ts";

/** Returns whether `spec` has the form of a bundled policy's name, and not that of a path. */
export function isPolicyName(spec: string): boolean {
  return /^(?:work|ask|open|(?:[^./\\]+-)?readonly)$/.test(spec);
}

export async function locatePolicy(spec: string): Promise<TextFile & Pick<NamedText, "file">> {
  if (!isPolicyName(spec)) return { file: spec, ...await readNamed(spec) };
  const { bundledPolicies } = await import("./bundled.ts");
  const text = bundledPolicies.get(spec);
  if (text !== undefined) return { ok: true, file: `bundled:${spec}`, text };
  const known = nearHint(spec, offered(bundledPolicies)) ??
    "There are 'work', 'ask', 'open', 'readonly', and one for each bundled config, such as 'git-readonly'";
  const hint = `${known}; a file is named with a '/' or ends in .yaml`;
  const problem = { message: `Unknown policy '${spec}'`, hint };
  return { ok: false, file: spec, problem, isMissing: true };
}

/** Returns the policies to suggest for a mistyped name: all but `open`, which asks about nothing. */
function offered(bundled: ReadonlyMap<string, string>): Iterable<string> {
  return bundled.keys().filter((name) => name !== "open");
}

async function readNamed(spec: string): Promise<TextFile> {
  const read = await readTextFile(spec);
  const isThere = await Deno.stat(systemPath(spec)).then(() => true, () => false);
  if (read.ok || isThere || /[./\\]/.test(spec)) return read;
  const { bundledPolicies } = await import("./bundled.ts");
  const hint = nearHint(spec, offered(bundledPolicies));
  return hint === undefined ? read : { ...read, problem: { ...read.problem, hint } };
}
