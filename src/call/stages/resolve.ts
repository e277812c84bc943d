/** Finds the tool, and checks that the arguments are an object. */

import type { ToolTable } from "../../catalog/tool_table.ts";
import { describeValue } from "../../text/describe_value.ts";
import { excerpt } from "../../text/excerpt.ts";
import { kindOfName } from "../../tool/feature.ts";
import type { Tool } from "../../tool/tool.ts";
import { argumentStage } from "../../tool/runner.ts";
import { refusal, refuse, type RefusedCall } from "../refusal.ts";
import type { RequestedCall, ResolvedCall } from "../prepared_call.ts";

export async function resolve<Call extends RequestedCall>(
  call: Call,
): Promise<(Call & ResolvedCall) | RefusedCall> {
  const { context: { index, features, explainWithheld }, request } = call;
  const listed = index.get(request.tool);
  const found = listed === undefined
    ? await features?.find(request.tool, request.args)
    : { tool: listed, args: request.args };
  if (found === undefined) {
    const meant = index.meantBy(request.tool);
    if (meant.length > 0) return refusal(severalTools(request.tool, meant), "unknown tool");
    const text = await explainWithheld?.(request.tool);
    return text === undefined ? unknown(index, request.tool) : refusal(text, "withheld tool");
  }
  const { tool } = found;
  const given = found.args ?? {};
  if (typeof given !== "object" || Array.isArray(given)) {
    const reason = `'args' must be an object, found ${describeValue(given)}`;
    return refuse(tool, { stage: argumentStage, reasons: [reason], rule: "arguments" });
  }
  return { ...call, index, tool, given: given as Record<string, unknown> };
}

/** A guess with more than one meaning. */
function severalTools(name: string, tools: readonly Tool[]): string {
  return `'${name}' is not one tool: call ${tools.map((tool) => tool.name).join(" or ")}`;
}

/** A tool of a server that does not answer is no unknown tool: the agent is told why, and when to call again. */
function unknown(index: ToolTable, name: string): RefusedCall {
  const owner = index.absent.find(({ prefix }) => name.startsWith(prefix));
  if (owner === undefined) return refusal(unknownTool(index, name), "unknown tool");
  const text = `${owner.explain()}\nIts tools are not known until it answers`;
  owner.retry();
  return refusal(text, "absent server");
}

/** `Unknown tool: X`, and on the next line the tools with similar names. */
export function unknownTool(index: Pick<ToolTable, "near">, name: string): string {
  const near = index.near(name);
  const kind = kindOfName(name);
  const shown = excerpt(kind === undefined ? name : name.slice(kind.length + 1), 200);
  const text = `Unknown ${kind ?? "tool"}: ${shown.toWellFormed()}`;
  return near.length === 0 ? text : `${text}\nDid you mean: ${near.join(", ")}`;
}
