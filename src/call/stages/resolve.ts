/** Finds the tool, and checks that the arguments are an object. */

import type { ToolIndex } from "../../catalog/tool_index.ts";
import { describeValue } from "../../text/describe_value.ts";
import { excerpt } from "../../text/excerpt.ts";
import { kindOfName } from "../../tool/feature.ts";
import { argumentStage } from "../../tool/runner.ts";
import { refusal, refuse, type RefusedCall } from "../refusal.ts";
import type { RequestedCall, ResolvedCall } from "../prepared_call.ts";

export async function resolve<Call extends RequestedCall>(
  call: Call,
): Promise<(Call & ResolvedCall) | RefusedCall> {
  const { context: { index, features }, request } = call;
  const listed = index.get(request.tool);
  const found = listed === undefined
    ? await features?.find(request.tool, request.args)
    : { tool: listed, args: request.args };
  if (found === undefined) return refusal(unknownTool(index, request.tool), "unknown tool");
  const { tool } = found;
  const given = found.args ?? {};
  if (typeof given !== "object" || Array.isArray(given)) {
    const reason = `'args' must be an object, found ${describeValue(given)}`;
    return refuse(tool, { stage: argumentStage, reasons: [reason], rule: "arguments" });
  }
  return { ...call, index, tool, given: given as Record<string, unknown> };
}

/** `Unknown tool: X`, and on the next line the tools with similar names. */
export function unknownTool(index: Pick<ToolIndex, "near">, name: string): string {
  const near = index.near(name);
  const kind = kindOfName(name);
  const shown = excerpt(kind === undefined ? name : name.slice(kind.length + 1), 200);
  const text = `Unknown ${kind ?? "tool"}: ${shown.toWellFormed()}`;
  return near.length === 0 ? text : `${text}\nDid you mean: ${near.join(", ")}`;
}
