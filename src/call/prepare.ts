/**
 * A tool's name and raw arguments → the plan of the call, or the text of the refusal: find, coerce,
 * where it runs, check, plan. Nothing is run here, which is what makes `--dry-run` honest.
 */

import type { ToolIndex } from "../catalog/tool_index.ts";
import { describeValue } from "../text/describe_value.ts";
import { checkConstraints, checkLeadingDashes, type Objection } from "../policy/check.ts";
import { checkLimits } from "../policy/limits.ts";
import { excerpt } from "../text/excerpt.ts";
import { argumentStage, type Plan } from "../tool/runner.ts";
import type { ArgValues, Tool } from "../tool/tool.ts";
import { signatureOf } from "../tool/signature.ts";
import { coerceArgs } from "./coerce.ts";
import { type CallContext, runnerOf } from "./context.ts";

/** A tool to run and what to run it with. */
export interface CallRequest {
  readonly tool: string;
  /** What the agent sent; absent and `null` mean no arguments. */
  readonly args?: unknown;
  /** Whether a name that no argument has is refused, as where a person typed it. @default false */
  readonly refusesUnknown?: boolean;
}

/** A call ready to run, or the refusal. */
export type Prepared = ReadyCall | RefusedCall;

/** A call that may be run. */
export interface ReadyCall {
  readonly ok: true;
  readonly tool: Tool;
  readonly values: ArgValues;
  readonly plan: Plan;
}

/** A call that may not be run. */
export interface RefusedCall {
  readonly ok: false;
  /** What the agent is told. */
  readonly text: string;
  /** The same for logs, without the values of a tool that has secrets. */
  readonly shownText: string;
  /** What decided: `unknown tool`, `arguments`, or the path of a rule in the policy. */
  readonly rule: string;
  /** The tool whose arguments were not right. */
  readonly tool?: Tool;
}

/** Finds the tool, checks the arguments in the contract's order and plans the call. */
export async function prepareCall(
  context: Pick<CallContext, "index" | "runners"> & Partial<Pick<CallContext, "results">>,
  request: CallRequest,
): Promise<Prepared> {
  const prepared = await prepare(context, request);
  if (prepared.ok || prepared.tool === undefined || context.results !== "compact") return prepared;
  // Whoever has not seen the schema can write the next call by this
  return { ...prepared, text: `${prepared.text}\nTakes: ${signatureOf(prepared.tool)}` };
}

async function prepare(
  context: Pick<CallContext, "index" | "runners">,
  request: CallRequest,
): Promise<Prepared> {
  const tool = context.index.get(request.tool);
  if (tool === undefined) {
    const text = unknownTool(context.index, request.tool);
    return { ok: false, text, shownText: text, rule: "unknown tool" };
  }

  const given = request.args ?? {};
  if (typeof given !== "object" || Array.isArray(given)) {
    const reason = `'args' must be an object, found ${describeValue(given)}`;
    return refuse(tool, argumentStage, [reason], "arguments");
  }
  const coercion = coerceArgs(tool, given as Record<string, unknown>, {
    refusesUnknown: tool.refusesUnknown || request.refusesUnknown,
  });
  if (!coercion.ok) return refuse(tool, argumentStage, coercion.reasons, "arguments");
  const { values } = coercion;

  const runner = runnerOf(context, tool);
  const place = runner.place?.(tool, values) ?? {};

  const dashes = checkLeadingDashes(tool.args, values);
  if (dashes.length > 0) return refuseFor(tool, argumentStage, dashes, tool.rule);
  const limits = await checkLimits(tool.args, values, place);
  if (limits.length > 0) return refuseFor(tool, argumentStage, limits, "config");
  const objections = await checkConstraints(tool.args, values, place);
  if (objections.length > 0) return refuseFor(tool, "Policy validation", objections, tool.rule);

  const plan = await runner.prepare(tool, values);
  return plan.ok
    ? { ok: true, tool, values, plan }
    : refuse(tool, plan.stage, plan.reasons, plan.rule);
}

/** `Unknown tool: X`, with the names that may have been meant on a line of their own. */
export function unknownTool(index: Pick<ToolIndex, "near">, name: string): string {
  const near = index.near(name);
  const text = `Unknown tool: ${excerpt(name, 200).toWellFormed()}`;
  return near.length === 0 ? text : `${text}\nDid you mean: ${near.join(", ")}`;
}

/** `STAGE failed:` and the reasons, one a line. */
export function refusalText(stage: string, reasons: readonly string[]): string {
  // What a server named its arguments does not begin a line
  const lines = reasons.map((reason) => `  - ${reason.replaceAll("\n", "\n    ")}`);
  return [`${stage} failed:`, ...lines].join("\n");
}

function refuse(tool: Tool, stage: string, reasons: readonly string[], rule: string): RefusedCall {
  const text = refusalText(stage, reasons);
  const shownText = hasSecrets(tool)
    ? `${stage} failed: not shown, for the tool has secrets`
    : text;
  return { ok: false, text, shownText, rule, ...(stage === argumentStage ? { tool } : {}) };
}

function refuseFor(
  tool: Tool,
  stage: string,
  objections: readonly Objection[],
  origin: string | undefined,
): RefusedCall {
  const rules = objections.map(({ arg, rule }) => {
    return origin === undefined ? `${arg}: ${rule}` : `${origin}.args.${arg}.${rule}`;
  });
  return refuse(tool, stage, objections.map(({ text }) => text), rules.join(", "));
}

function hasSecrets({ args }: Tool): boolean {
  return args.some(({ constraint }) => constraint?.secret);
}
