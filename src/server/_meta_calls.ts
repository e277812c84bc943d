/** Carries out calls of the two meta-tools, loaded with the first of them. */

import { loadAndCall, loadAndRefuse } from "../call/first_call.ts";
import { coerceArgs } from "../call/coerce.ts";
import { readCall } from "../call/envelope.ts";
import type { CallContext } from "../call/context.ts";
import { refusalResult, refuseArguments } from "../call/refusal.ts";
import { unknownNote, unknownTool } from "../call/prepare.ts";
import { answer, answerNotes } from "../catalog/answer.ts";
import { formatAnswer, type ResultFormat } from "../catalog/compact.ts";
import { plainQuery, type SearchRequest } from "../catalog/search_request.ts";
import { toolIndexOf } from "../catalog/tool_index.ts";
import { type ToolTable, withoutClientPrefix } from "../catalog/tool_table.ts";
import { misspeltNames } from "../text/similar_names.ts";
import { type FeatureKind, kindOfName } from "../tool/feature.ts";
import { type CallResult, type ContentBlock, textOf, textResult } from "../tool/result.ts";
import { callTool, kindArg, metaTools, searchArgs, searchTool } from "./_meta_tools.ts";
import type { Surface } from "./surface.ts";

export async function callMetaTool(
  context: CallContext,
  ...[name, args, options]: Parameters<Surface["call"]>
): Promise<CallResult> {
  const given = (args ?? {}) as Record<string, unknown>;
  switch (name) {
    case searchTool.name:
      await context.gate.refresh?.(options.arrivedAt);
      return await search(context, given);
    case callTool.name: {
      const request = readCall(given, context.index);
      if ("reason" in request) {
        const takes = { name, args: [], input: callTool.inputSchema };
        const refused = refuseArguments(takes, [request.reason]);
        return loadAndRefuse(context, { tool: name }, refused, options);
      }
      const { tool } = request;
      const plain = withoutClientPrefix(tool);
      const meta = metaTools.find((each) => each.name === tool || each.name === plain);
      if (meta !== undefined && context.index.resolve(tool) === undefined) {
        return callMetaTool(context, meta.name, request.args, options);
      }
      return readable(tool, await loadAndCall(context, request, options));
    }
    default: {
      const near = misspeltNames(name, metaTools.map((tool) => tool.name));
      // A model that knows a tool means it
      if (near.length === 0 || context.index.resolve(name) !== undefined) {
        return readable(name, await loadAndCall(context, { tool: name, args }, options));
      }
      return loadAndRefuse(context, { tool: name }, unknownTool(name, near), options);
    }
  }
}

/** Other names that models have for `query`. */
const queryNames: readonly string[] = ["q", "keyword", "keywords", "queries", "search", "text"];

/** A summary without filters, otherwise the results; if a filter excludes everything, what exists. */
async function search(
  { index: tools, results }: { readonly index: ToolTable; readonly results: ResultFormat },
  given: Readonly<Record<string, unknown>>,
): Promise<CallResult> {
  const args = tools.features.length === 0 ? searchArgs : [...searchArgs, kindArg];
  const refuse = (reasons: readonly string[], help: readonly string[] = []) => {
    return refusalResult(refuseArguments({ name: searchTool.name, args }, reasons, help));
  };
  const coercion = coerceArgs({ args }, given["kind"] === "" ? { ...given, kind: null } : given);
  if (!coercion.ok) return refuse(coercion.reasons, coercion.help);
  const [key, ...others] = coercion.unknown.filter((each) => {
    return queryNames.includes(each) ||
      (typeof given[each] === "string" && given[each].length > 2);
  });
  if (key !== undefined && others.length === 0 && !coercion.values.get("query")) {
    const { [key]: query, ...rest } = given;
    return await search({ index: tools, results }, { ...rest, query });
  }
  // Models send an empty string for arguments that they do not need
  const meant = [...coercion.values].filter(([, value]) => value !== "");
  const { limit, kind, ...filters } = Object.fromEntries(meant) as KindRequest;
  const query = plainQuery(filters.query ?? "");
  const all = toolIndexOf(tools);
  const index = kind === undefined ? all : all.ofKind(kind);
  if (limit! < 0) {
    return refuse([`Argument 'limit': expected a whole number from 0, found '${limit}'`]);
  }
  // The default limit may be lowered, a given one may not
  const isAsked = given["limit"] !== undefined && given["limit"] !== null;
  const request = {
    ...filters,
    ...(filters.query === undefined ? {} : { query }),
    ...(isAsked ? { limit: limit! } : {}),
  };
  const found = await answer(index, request, kind !== undefined);
  const { content } = textResult(formatAnswer(index, request, found, results));
  const ignored = unknownNote({ name: searchTool.name, args }, coercion.unknown);
  const notes = [
    ...answerNotes(index, request, found, { isCut: results !== "compact", what: kind ?? "tool" }),
    ...(ignored === undefined ? [] : [ignored]),
  ];
  return {
    content: [...content, ...notes.flatMap((note) => textResult(note).content)],
    isError: false,
  };
}

interface KindRequest extends SearchRequest {
  readonly kind?: FeatureKind;
}

/** The content of a resource in the forms that every client shows its model. */
function readable(name: string, result: CallResult): CallResult {
  if (kindOfName(name) !== "resource") return result;
  return { ...result, content: result.content.map(readableBlock) };
}

function readableBlock(block: ContentBlock): ContentBlock {
  if (block.type !== "resource") return block;
  const { text, blob, mimeType = "" } = block.resource;
  if (text !== undefined) return { type: "text", text };
  const [type] = mimeType.split("/", 1);
  if (blob !== undefined && (type === "image" || type === "audio")) {
    return { type, data: blob, mimeType };
  }
  return { type: "text", text: textOf({ content: [block] }) };
}
