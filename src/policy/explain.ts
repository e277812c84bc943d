/** Explains which rule of a policy serves or denies a tool, and its place in the file. */

import { locate } from "../files/document.ts";
import type { Problem } from "../errors.ts";
import type { Tool } from "../tool/tool.ts";
import { type Decision, ToolSelection } from "./select.ts";
import type { PolicyDocument } from "./load.ts";

export interface PolicyExplanation {
  readonly decision: Decision;
  readonly place: Pick<Problem, "file" | "line" | "column">;
}

/** `tool` is one of `tools`. */
export async function explainDecision(
  document: PolicyDocument & { readonly ok: true },
  tool: Tool,
  tools: readonly Tool[],
): Promise<PolicyExplanation> {
  const decision = new ToolSelection(document.policy, tools).decide(tool);
  return { decision, place: await placeOf(document, decision) };
}

/** In the order of `tools`. */
export async function explainDecisions(
  document: PolicyDocument & { readonly ok: true },
  tools: readonly Tool[],
): Promise<PolicyExplanation[]> {
  const selection = new ToolSelection(document.policy, tools);
  // There are many tools and few rules
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
