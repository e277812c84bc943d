/** The reason why a policy serves a tool or does not: the rule that decides, and where it stands. */

import { locate } from "../files/document.ts";
import type { Problem } from "../errors.ts";
import type { Tool } from "../tool/tool.ts";
import { type Decision, ToolSelection } from "./select.ts";
import type { PolicyDocument } from "./load.ts";

/** A decision with its place in the file. */
export interface PolicyExplanation {
  readonly decision: Decision;
  readonly place: Pick<Problem, "file" | "line" | "column">;
}

/** What `document` says of `tool`, one of `tools`. */
export async function explainDecision(
  document: PolicyDocument & { readonly ok: true },
  tool: Tool,
  tools: readonly Tool[],
): Promise<PolicyExplanation> {
  const decision = new ToolSelection(document.policy, tools).decide(tool);
  return { decision, place: await placeOf(document, decision) };
}

/** What `document` says of each of `tools`, in their order. */
export async function explainDecisions(
  document: PolicyDocument & { readonly ok: true },
  tools: readonly Tool[],
): Promise<PolicyExplanation[]> {
  const selection = new ToolSelection(document.policy, tools);
  // Tools are many and rules are few
  const places = new Map<string, Promise<PolicyExplanation["place"]>>();
  return await Promise.all(tools.map(async (tool) => {
    const decision = selection.decide(tool);
    const key = JSON.stringify(decision.path);
    const place = places.get(key) ?? placeOf(document, decision);
    places.set(key, place);
    return { decision, place: await place };
  }));
}

async function placeOf(
  { file, text }: PolicyDocument & { readonly ok: true },
  { path }: Decision,
): Promise<PolicyExplanation["place"]> {
  const [place] = await locate(file, text, [{ path, message: "" }]);
  return { file: place!.file!, line: place!.line!, column: place!.column! };
}
