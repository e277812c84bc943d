/** The four stages before a call runs: find its tool, convert its arguments, check them, make a plan. */

import {
  type CallRequest,
  type CoercedCall,
  type PlannedCall,
  type PlanningContext,
  type ReadyCall,
  type ResolvedCall,
  type Stage,
  whenEnded,
} from "./pipeline.ts";
import { isRefused, refusal, refuseArguments, refuseValues } from "./refusal.ts";
import { planText } from "./consent.ts";
import type { ToolTable } from "../catalog/tool_table.ts";
import { describeValue, excerpt } from "../text/excerpt.ts";
import { argumentStage, type Refusal } from "../tool/runner.ts";
import { declaresOthers, unknownRefused } from "../tool/annotations.ts";
import { type CallResult, withNotes } from "../tool/result.ts";
import { takesWords } from "../tool/signature.ts";
import { commandKind, type Tool } from "../tool/tool.ts";
import { nameWords } from "../tool/type_words.ts";
import { isPath } from "../tool/aliases.ts";
import { coerceArgs, maxCompared } from "./coerce.ts";
import { runnerOf } from "./context.ts";
import { pathsMeant } from "./path_values.ts";
import { chooseTool, maxMeant, refuseUnknown, unknownTool } from "./unknown_tool.ts";
import { jobKey, takesJobKey } from "./background.ts";
import { checkConstraints, checkLeadingDashes, checkLimits } from "../policy/check.ts";
import { lengthReason } from "../policy/real_path.ts";

type RequestedCall = Pick<ResolvedCall, "context" | "request">;

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

export async function resolve<Call extends RequestedCall>(call: Call) {
  const { context: { index, features, explainWithheld }, request } = call;
  const named = index.get(request.tool);
  if (named?.name === request.tool) return readArgs(call, index, named, request.args);
  const found = await features?.find(request.tool, request.args);
  if (found !== undefined) return readArgs(call, index, found.tool, found.args);
  const text = await explainWithheld?.(request.tool);
  if (text !== undefined) return refusal(text, "withheld tool");
  const meant = index.meantBy(request.tool);
  if (meant.length === 0) return unknown(index, request);
  const chosen = chooseTool(index, meant, request.args);
  if (chosen === undefined) {
    return unknownTool(request.tool, meant.slice(0, maxMeant).map(({ name }) => name));
  }
  const { tool, args } = chosen;
  const renamed = { ...request, tool: tool.name, named: request.tool, args };
  return readArgs({ ...call, request: renamed }, index, tool, args);
}

const maxKeys = 1000;
const maxKeyLength = 256;

function readArgs<C extends RequestedCall>(call: C, index: ToolTable, tool: Tool, args: unknown) {
  const given = args ?? {};
  if (typeof given !== "object" || Array.isArray(given)) {
    return refuseArguments(tool, [`'args' must be an object, found ${describeValue(given)}`]);
  }
  const keys = Object.keys(given);
  const reason = keys.length > maxKeys
    ? `'args' must have at most ${maxKeys} keys, found ${keys.length}`
    : keys.some(({ length }) => length > maxKeyLength)
    ? `A key of 'args' must have at most ${maxKeyLength} characters`
    : undefined;
  if (reason !== undefined) return refuseArguments(tool, [reason]);
  return { ...call, index, tool, given: given as Record<string, unknown> };
}

function unknown(index: ToolTable, { tool: name, args }: CallRequest): Refusal {
  const owner = index.absent.find(({ prefix }) => name.startsWith(prefix));
  if (owner === undefined) return refuseUnknown(index, name, args);
  const text = `${owner.explain()}\nIts tools are not known until it answers`;
  owner.retry();
  return refusal(text, "absent server");
}

export function coerceCall<Call extends ResolvedCall>(call: Call): (Call & CoercedCall) | Refusal {
  const { tool, request, context } = call;
  const { given, wantsJob } = readJobKey(call);
  const coercion = coerceArgs(tool, given, {
    refuses: request.refusesUnknown ? "unknown" : unknownRefused(tool),
    refusesDryRuns: tool.source.kind === commandKind,
  });
  if (!coercion.ok) return refuseArguments(tool, coercion.reasons, coercion.help);
  const { values, unknown } = coercion;
  const coerced = { ...call, values, unknown, wantsJob };
  const paths = tool.args.filter((arg) => {
    return values.has(arg.name) && (arg.role.kind === "cwd" || isPath(arg));
  });
  if (paths.length === 0) return coerced;
  const long = paths.flatMap(({ name }) => {
    const reason = [values.get(name)].flat().map(String).map(lengthReason).find((each) => each);
    return reason === undefined ? [] : [`Argument '${name}': ${reason}`];
  });
  if (long.length > 0) return refuseArguments(tool, long);
  const location = runnerOf(context, tool).location?.(tool, values) ?? {};
  if (location.isElsewhere) return coerced;
  const { meant, reasons } = pathsMeant(paths, values, location.directory);
  if (reasons.length > 0) return refuseArguments(tool, reasons);
  return { ...coerced, values: new Map([...values, ...meant]) };
}

/** Reads and removes the key by which a call asks to be a job: `background`, or Claude Code's `run_in_background`. */
function readJobKey({ tool, given: sent, context }: ResolvedCall) {
  const { run_in_background: other, ...rest } = sent;
  const isOther = other !== undefined && !Object.hasOwn(sent, jobKey) &&
    !tool.args.some(({ name }) => name === "run_in_background");
  const given = isOther ? { ...rest, [jobKey]: other } : sent;
  const { [jobKey]: asked, ...own } = given;
  const isJobKey = /^(?:true|false)$/.test(String(asked)) && takesJobKey(context.background, tool);
  return isJobKey
    ? { given: own, wantsJob: String(asked) === "true" }
    : { given: sent, wantsJob: false };
}

export async function authorize<Call extends CoercedCall>(call: Call): Promise<Call | Refusal> {
  const { context, tool: { args, rule: origin }, tool, values } = call;
  const dashes = checkLeadingDashes(args, values);
  if (dashes.length > 0) {
    return refuseValues(tool, { stage: argumentStage, objections: dashes, origin });
  }
  const location = runnerOf(context, tool).location?.(tool, values) ?? {};
  const limits = await checkLimits(args, values, location);
  if (limits.length > 0) {
    return refuseValues(tool, { stage: argumentStage, objections: limits, origin: "config" });
  }
  const objections = await checkConstraints(args, values, location);
  if (objections.length === 0) return call;
  return refuseValues(tool, { stage: "Policy validation", objections, origin });
}

export async function plan<Call extends CoercedCall>(
  call: Call,
): Promise<(Call & ReadyCall) | Refusal> {
  const { context, tool, values } = call;
  const made = await runnerOf(context, tool).prepare(tool, values);
  if (made.ok) return { ...call, ok: true, plan: made };
  return made.stage === argumentStage
    ? { ...refuseArguments(tool, made.reasons, made.help), rule: made.rule }
    : { ...made, tool };
}

export const addNotes: Stage<PlannedCall> = async (call, next) => {
  const { tool, unknown, options } = call;
  const outcome = await next(call);
  const isSilent = tool.refusesUnknown === false || options.forHost || declaresOthers(tool);
  const note = isSilent ? undefined : unknownNote(tool, unknown);
  return whenEnded(outcome, (ended) => {
    if (ended.kind !== "completed") return ended;
    const notes = [note, adviceNote(call, ended.result)].flatMap((each) => each ?? []);
    return notes.length === 0 ? ended : { ...ended, result: withNotes(ended.result, ...notes) };
  });
};

/** Matches a command that a program advises in its output, in quotes or on its own line: `git rebase --continue`. */
const advisedCommand = /(?:["'`]|^ {2,})([a-z]+) ([a-z][a-z-]{0,30})(?: --([a-z][a-z-]{0,30}))?/gm;

const maxAdvised = 6;

/** Names the tools for commands that a failed program advises, since an agent has no shell for them. */
function adviceNote({ tool, context }: PlannedCall, result: CallResult): string | undefined {
  const [first] = result.content;
  if (!result.isError || tool.source.kind !== commandKind || first?.type !== "text") {
    return undefined;
  }
  const commands = first.text.slice(0, 10_000).matchAll(advisedCommand);
  const found = commands.flatMap(([, program, word, option]) => {
    const words = program === tool.owner.name ? [[program, word, option], [program, word]] : [];
    const names = words.map((each) => each.join("_").replaceAll("-", "_"));
    return names.flatMap((name) => context.index.get(name) ?? []).slice(0, 1);
  });
  const names = new Set(found.flatMap((each) => each === tool ? [] : [each.name]));
  return names.size === 0
    ? undefined
    : `[tools for that: ${[...names].slice(0, maxAdvised).join(", ")}]`;
}

const maxNameLength = 60;

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

/** Plans a call again after a wait. Returns the new plan if what the person saw is unchanged, else a refusal. */
export async function revalidate(call: PlannedCall): Promise<PlannedCall | Refusal> {
  const { context, request } = call;
  const now = await prepareCall(context, request);
  if (isRefused(now)) return now;
  const hasSameIndex = context.index === call.index;
  if (hasSameIndex && call.asked === undefined) return call;
  const { trial, reason } = call;
  const asked = { ...(trial && { trial }), ...(reason && { reason }) };
  const isAsked = call.tool.needsConsent || !now.tool.needsConsent;
  // The new plan is used even if it looks the same: the policy may now forbid what the question did not show
  if (isAsked && planText({ ...now, ...asked }) === planText(call)) {
    return hasSameIndex ? call : { ...call, ...now, context };
  }
  const text = "Call refused: the config or the policy changed while the call was waiting\n" +
    "Call the tool again to use the new version";
  return refusal(text, "changed while it waited");
}
