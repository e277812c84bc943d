/**
 * Converts the arguments to the types of the tool, and adds defaults and fixed values. What no argument takes is
 * refused, or said in the result.
 */

import { homeFolders } from "../../process/folders.ts";
import { excerpt } from "../../text/excerpt.ts";
import { declaresOthers, refusesUnknown } from "../../tool/annotations.ts";
import { argumentStage } from "../../tool/runner.ts";
import { textResult } from "../../tool/result.ts";
import { takesWords } from "../../tool/signature.ts";
import type { Arg, ArgValue, ArgValues, Tool } from "../../tool/tool.ts";
import { nameWords } from "../../tool/type_words.ts";
import { coerceArgs, maxCompared } from "../coerce.ts";
import { runnerOf } from "../context.ts";
import { type PlannedCall, type Stage, whenEnded } from "../pipeline.ts";
import type { CoercedCall, ResolvedCall } from "../prepared_call.ts";
import { refuse, type RefusedCall } from "../refusal.ts";

export function coerce<Call extends ResolvedCall>(
  call: Call,
): (Call & CoercedCall) | RefusedCall {
  const { tool, given, request, context } = call;
  const coercion = coerceArgs(tool, given, {
    refusesUnknown: request.refusesUnknown || refusesUnknown(tool),
  });
  if (!coercion.ok) return refuse(tool, { stage: argumentStage, rule: "arguments", ...coercion });
  const { values, unknown } = coercion;
  const hasHome = tool.args.some((arg) => withHome(arg, values.get(arg.name)) !== undefined) &&
    !runnerOf(context, tool).location?.(tool, values).isElsewhere;
  return { ...call, values: hasHome ? withHomes(tool, values) : values, unknown };
}

function withHomes({ args }: Tool, values: ArgValues): ArgValues {
  const expanded = args.flatMap((arg) => {
    const value = withHome(arg, values.get(arg.name));
    return value === undefined ? [] : [[arg.name, value] as const];
  });
  return new Map([...values, ...expanded]);
}

/** The value of a path with its leading `~` expanded, as a shell does; nothing if it has none. */
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

/** Longest name in a note. */
const longestName = 60;

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
  const names = unknown.slice(0, maxCompared).map((name) => nameWords(excerpt(name, longestName)));
  const more = unknown.length > names.length ? `, and ${unknown.length - names.length} more` : "";
  const what = tool.isOpen ? "sent on, but not in the schema" : "ignored, no such argument";
  return `[${what}: ${names.join(", ")}${more}. ${takesWords(tool)}]`;
}
