/** Finds the text of a policy: a bundled one by name, or a file. */

import ask from "../../configs/policies/ask.yaml" with { type: "text" };
import open from "../../configs/policies/open.yaml" with { type: "text" };
import readonly from "../../configs/policies/readonly.yaml" with { type: "text" };
import work from "../../configs/policies/work.yaml" with { type: "text" };
import { systemPath } from "../io.ts";
import { readTextFile, type TextFile } from "../files/text_file.ts";
import type { NamedText } from "../text/named_text.ts";
import { nearHint } from "../text/similar_names.ts";

const bundled: ReadonlyMap<string, string> = new Map(Object.entries({ ask, open, readonly, work }));

/** Returns whether `spec` names a bundled policy; `NAME-readonly` is the bundled policy for the config NAME. */
export function isPolicyName(spec: string): boolean {
  return bundled.has(spec) || /^[^./\\]+-readonly$/.test(spec);
}

export async function locatePolicy(spec: string): Promise<TextFile & Pick<NamedText, "file">> {
  if (!isPolicyName(spec)) return { file: spec, ...await readNamed(spec) };
  const text = bundled.get(spec) ?? readonlyFor(spec.slice(0, -"-readonly".length));
  return { ok: true, file: `bundled:${spec}`, text };
}

function readonlyFor(config: string): string {
  const own = readonly.replace("default: enabled", "default: disabled");
  return `${own}tools:\n  ${JSON.stringify(`cli:${config}`)}:\n`;
}

async function readNamed(spec: string): Promise<TextFile> {
  const read = await readTextFile(spec);
  const isThere = await Deno.stat(systemPath(spec)).then(() => true, () => false);
  if (read.ok || isThere || /[./\\]/.test(spec)) return read;
  // The bundled policy `open` is not suggested for a misspelt name, since it lets everything run without a question
  const hint = nearHint(spec, ["ask", "readonly", "work"]);
  return hint === undefined ? read : { ...read, problem: { ...read.problem, hint } };
}
