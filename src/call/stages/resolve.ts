/** Finds the tool, and checks that the arguments are an object. */

import { namesLike } from "../../catalog/first_search.ts";
import type { ToolTable } from "../../catalog/tool_table.ts";
import { describeValue, excerpt } from "../../text/excerpt.ts";
import { kindOfName } from "../../tool/feature.ts";
import { argumentStage } from "../../tool/runner.ts";
import { refusal, refuse, type RefusedCall } from "../refusal.ts";
import type { RequestedCall, ResolvedCall } from "../prepared_call.ts";

/** Most tools that are named for a name of several. */
const maxMeant = 6;

export async function resolve<Call extends RequestedCall>(
  call: Call,
): Promise<(Call & ResolvedCall) | RefusedCall> {
  const { context: { index, features, explainWithheld }, request } = call;
  const named = index.get(request.tool);
  let found = named && { tool: named, args: request.args };
  found ??= await features?.find(request.tool, request.args);
  if (found === undefined) {
    const text = await explainWithheld?.(request.tool);
    if (text !== undefined) return refusal(text, "withheld tool");
    const [meant, ...others] = index.meantBy(request.tool);
    if (meant === undefined) return await unknown(index, request.tool);
    if (others.length > 0) {
      const names = [meant, ...others].slice(0, maxMeant).map(({ name }) => name);
      return refusal(unknownTool(request.tool, names), "unknown tool");
    }
    found = { tool: meant, args: request.args };
    call = { ...call, request: { ...request, tool: meant.name } };
  }
  const { tool } = found;
  const given = found.args ?? {};
  if (typeof given !== "object" || Array.isArray(given)) {
    const reason = `'args' must be an object, found ${describeValue(given)}`;
    return refuse(tool, { stage: argumentStage, reasons: [reason], rule: "arguments" });
  }
  return { ...call, index, tool, given: given as Record<string, unknown> };
}

/** A tool of a server that does not answer is no unknown tool: the agent is told why, and when to call again. */
async function unknown(index: ToolTable, name: string): Promise<RefusedCall> {
  const owner = index.absent.find(({ prefix }) => name.startsWith(prefix));
  if (owner === undefined) {
    const hints = kindOfName(name) === undefined ? await namesLike(index, name) : [];
    return refusal(unknownTool(name, hints), "unknown tool");
  }
  const text = `${owner.explain()}\nIts tools are not known until it answers`;
  owner.retry();
  return refusal(text, "absent server");
}

/** `Unknown tool: X`, and on the next line the tools that it may mean. */
export function unknownTool(name: string, hints: readonly string[]): string {
  const kind = kindOfName(name);
  const shown = excerpt(kind === undefined ? name : name.slice(kind.length + 1), 200);
  const text = `Unknown ${kind ?? "tool"}: ${shown.toWellFormed()}`;
  return hints.length === 0 ? text : `${text}\nDid you mean: ${hints.join(", ")}`;
}
