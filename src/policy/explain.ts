/** Why a policy serves a tool or does not: the rule that decides, and where it stands. */

import { locate } from "../document/document.ts";
import type { Problem } from "../errors.ts";
import type { Tool } from "../tool/tool.ts";
import { type Decision, Selection } from "./select.ts";
import type { PolicyDocument } from "./load.ts";

/** A decision with its place in the file. */
export interface Explanation {
  readonly decision: Decision;
  readonly place: Pick<Problem, "file" | "line" | "column">;
}

/** What `document` says of `tool`, one of `tools`. */
export async function explainDecision(
  document: PolicyDocument & { readonly ok: true },
  tool: Tool,
  tools: readonly Tool[],
): Promise<Explanation> {
  const decision = new Selection(document.policy, tools).decide(tool);
  const [place] = await locate(document.file, document.text, [{
    path: decision.path,
    message: "",
  }]);
  const { file, line, column } = place!;
  return { decision, place: { file: file!, line: line!, column: column! } };
}
