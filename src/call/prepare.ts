/** The four stages that run nothing: find, convert, check, plan. `--dry-run` ends here; waiting calls repeat them. */

import {
  type CallRequest,
  type CoercedCall,
  type PlannedCall,
  type PlanningContext,
  type ReadyCall,
  type RequestedCall,
  type ResolvedCall,
  type Stage,
  whenEnded,
} from "./pipeline.ts";
import { isRefused, refusal, refuseArguments, refuseValues } from "./refusal.ts";
import { subjectOf } from "./consent.ts";
import { namesLike } from "../catalog/first_search.ts";
import type { ToolTable } from "../catalog/tool_table.ts";
import { describeValue, excerpt } from "../text/excerpt.ts";
import { kindOfName } from "../tool/feature.ts";
import { argumentStage, type Refusal } from "../tool/runner.ts";
import { homeFolders } from "../process/folders.ts";
import { declaresOthers, refusesUnknown } from "../tool/annotations.ts";
import { textResult } from "../tool/result.ts";
import { takesWords } from "../tool/signature.ts";
import type { Arg, ArgValue, Tool } from "../tool/tool.ts";
import { nameWords } from "../tool/type_words.ts";
import { coerceArgs, maxCompared } from "./coerce.ts";
import { runnerOf } from "./context.ts";
import { checkConstraints, checkLeadingDashes, checkLimits } from "../policy/check.ts";

/** Plans a call without running it. */
export async function prepareCall(
  context: PlanningContext,
  request: CallRequest,
): Promise<ReadyCall | Refusal> {
  const resolved = await resolve({ context, request });
  if (isRefused(resolved)) return resolved;
  const coerced = coerceCall(resolved);
  if (isRefused(coerced)) return coerced;
  const authorized = await authorize(coerced);
  return isRefused(authorized) ? authorized : await plan(authorized);
}

/** Most tools that are named for a name of several. */
const maxMeant = 6;

/** Finds the tool, and checks that the arguments are an object. */
export async function resolve<Call extends RequestedCall>(
  call: Call,
): Promise<(Call & ResolvedCall) | Refusal> {
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
    return refuseArguments(tool, [reason]);
  }
  return { ...call, index, tool, given: given as Record<string, unknown> };
}

/** A tool of a server that does not answer is no unknown tool: the agent is told why, and when to call again. */
async function unknown(index: ToolTable, name: string): Promise<Refusal> {
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

/** Converts the arguments to the types of the tool, and adds defaults and fixed values. */
export function coerceCall<Call extends ResolvedCall>(call: Call): (Call & CoercedCall) | Refusal {
  const { tool, given, request, context } = call;
  const coercion = coerceArgs(tool, given, {
    refusesUnknown: request.refusesUnknown || refusesUnknown(tool),
  });
  if (!coercion.ok) return refuseArguments(tool, coercion.reasons, coercion.endsUnknown);
  const { values, unknown } = coercion;
  const homes = tool.args.flatMap((arg) => {
    const value = withHome(arg, values.get(arg.name));
    return value === undefined ? [] : [[arg.name, value] as const];
  });
  const isHere = homes.length > 0 && !runnerOf(context, tool).location?.(tool, values).isElsewhere;
  return { ...call, values: isHere ? new Map([...values, ...homes]) : values, unknown };
}

function withHome(
  { role, limits, constraint, fixed }: Arg,
  value: ArgValue | undefined,
): ArgValue | undefined {
  const isPath = role.kind === "cwd" || (limits?.within ?? constraint?.within) !== undefined;
  if (!isPath || fixed !== undefined || value === undefined) return undefined;
  const items = Array.isArray(value) ? value : [value];
  const isOfHome = (item: unknown) => typeof item === "string" && /^~(?=$|[/\\])/.test(item);
  const home = items.some(isOfHome) ? homeFolders()?.home : undefined;
  if (home === undefined) return undefined;
  const expanded = items.map((item) => isOfHome(item) ? home + String(item).slice(1) : item);
  return Array.isArray(value) ? expanded : expanded[0];
}

/** Checks the values against the config and the policy, in the contract's order. */
export async function authorize<Call extends CoercedCall>(call: Call): Promise<Call | Refusal> {
  const { context, tool, values } = call;
  const { args, rule: origin } = tool;
  const location = runnerOf(context, tool).location?.(tool, values) ?? {};
  const dashes = checkLeadingDashes(args, values);
  if (dashes.length > 0) {
    return refuseValues(tool, { stage: argumentStage, objections: dashes, origin });
  }
  const limits = await checkLimits(args, values, location);
  if (limits.length > 0) {
    return refuseValues(tool, { stage: argumentStage, objections: limits, origin: "config" });
  }
  const objections = await checkConstraints(args, values, location);
  if (objections.length === 0) return call;
  return refuseValues(tool, { stage: "Policy validation", objections, origin });
}

/** Asks the runner of the tool for a plan, which can be shown and then run. */
export async function plan<Call extends CoercedCall>(
  call: Call,
): Promise<(Call & ReadyCall) | Refusal> {
  const { context, tool, values } = call;
  const made = await runnerOf(context, tool).prepare(tool, values);
  return made.ok ? { ...call, ok: true, plan: made } : { ...made, tool };
}

const maxNameLength = 60;

/** Adds a block that says which keys of the call no argument of the tool takes. */
export const noteUnknown: Stage<PlannedCall> = async (call, next) => {
  const outcome = await next(call);
  const note = noteOf(call);
  if (note === undefined) return outcome;
  return whenEnded(outcome, (ended) => {
    if (ended.kind !== "completed") return ended;
    const content = [...ended.result.content, ...textResult(note).content];
    return { ...ended, result: { ...ended.result, content } };
  });
};

function noteOf({ tool, unknown, options }: PlannedCall): string | undefined {
  // A host reads the blocks of a prompt or a resource by itself
  if (tool.refusesUnknown === false || options.forHost || declaresOthers(tool)) return undefined;
  return unknownNote(tool, unknown);
}

/** Names the keys of a call that no argument of `tool` takes; nothing if there are none. */
export function unknownNote(
  tool: Pick<Tool, "name" | "args" | "input" | "isOpen">,
  unknown: readonly string[],
): string | undefined {
  if (unknown.length === 0) return undefined;
  const names = unknown.slice(0, maxCompared).map((name) =>
    nameWords(excerpt(name, maxNameLength))
  );
  const more = unknown.length > names.length ? `, and ${unknown.length - names.length} more` : "";
  const what = tool.isOpen ? "sent on, but not in the schema" : "ignored, no such argument";
  return `[${what}: ${names.join(", ")}${more}. ${takesWords(tool)}]`;
}

/** Plans a call again after a wait. Returns it over the current catalogue if its preview is the same, or a refusal. */
export async function revalidate(call: PlannedCall): Promise<PlannedCall | Refusal> {
  const { context, request } = call;
  const hasSameIndex = context.index === call.index;
  const now = await prepareCall(context, request);
  if (isRefused(now)) return now;
  if (hasSameIndex) return call;
  const isAsked = call.tool.needsConsent || !now.tool.needsConsent;
  // A changed policy may deny a part of the old plan that the preview does not have
  if (isAsked && subjectOf(now) === subjectOf(call)) return { ...call, ...now, context };
  const text = "Call refused: the config or the policy changed while the call was waiting\n" +
    "Call the tool again to use the new version";
  return refusal(text, "changed while it waited");
}
