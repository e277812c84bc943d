/**
 * A tool's name and raw arguments → the invocation that would be run, or the text of the refusal.
 * Nothing is run here, which is what makes `--dry-run` honest.
 */

import { isAbsolute, join, normalize } from "node:path";
import type { ToolIndex } from "../catalog/tool_index.ts";
import { childEnvironment } from "../exec/child_environment.ts";
import { type Executor, inContainer } from "../exec/executor.ts";
import type { Invocation } from "../exec/invocation.ts";
import { checkConstraints, checkLeadingDashes, type Refusal } from "../policy/check.ts";
import type { Arg, Tool } from "../tool/tool.ts";
import { buildArgv } from "./argv.ts";
import { coerceArgs, type CoercedArgs } from "./coerce.ts";

/** A tool to run and what to run it with. */
export interface CallRequest {
  readonly tool: string;
  /** What the agent sent; absent and `null` mean no arguments. */
  readonly args?: unknown;
}

/** What a call is prepared with. */
export interface CallGround {
  readonly index: ToolIndex;
  readonly executor: Executor;
}

/** A call ready to run, or the refusal. */
export type Prepared = ReadyCall | RefusedCall;

/** A call that may be run. */
export interface ReadyCall {
  readonly ok: true;
  readonly tool: Tool;
  readonly invocation: Invocation;
  /** The command line with `***` for the values that are secret, for logs. */
  readonly shownArgv: readonly string[];
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
}

/** Finds the tool, checks the arguments in the contract's order and builds the invocation. */
export async function prepareCall(ground: CallGround, request: CallRequest): Promise<Prepared> {
  const tool = ground.index.get(request.tool);
  if (tool === undefined) {
    const text = unknownTool(ground.index, request.tool);
    return { ok: false, text, shownText: text, rule: "unknown tool" };
  }

  const given = request.args ?? {};
  if (typeof given !== "object" || Array.isArray(given)) {
    return refuse(tool, "Argument validation", ["'args' must be an object"], "arguments");
  }
  const coercion = coerceArgs(tool.args, given as Record<string, unknown>);
  if (!coercion.ok) return refuse(tool, "Argument validation", coercion.reasons, "arguments");
  const { values } = coercion;
  const dashes = checkLeadingDashes(tool.args, values);
  if (dashes.length > 0) return refuseFor(tool, "Argument validation", dashes);

  const { argv, stdin, cwd } = buildArgv(tool.source, tool.args, values);
  const directory = directoryOf(tool.source.workingDir, cwd);
  const refusals = await checkConstraints(tool.args, values, directory);
  if (refusals.length > 0) return refuseFor(tool, "Policy validation", refusals);

  const local: Invocation = {
    argv,
    ...(directory === undefined ? {} : { cwd: directory }),
    env: childEnvironment(tool.source.env),
    ...(stdin === undefined ? {} : { stdin }),
    timeoutMs: tool.timeoutMs,
  };
  const invocation = ground.executor.kind === "local"
    ? local
    : inContainer(local, ground.executor, {
      variables: Object.keys(tool.source.env),
      ...(cwd === undefined ? {} : { cwd }),
    });
  const prefix = invocation.argv.slice(0, invocation.argv.length - argv.length);
  const { argv: masked } = buildArgv(tool.source, tool.args, maskSecrets(tool.args, values));
  return { ok: true, tool, invocation, shownArgv: [...prefix, ...masked] };
}

/** `Unknown tool: X`, with the names that may have been meant on a line of their own. */
export function unknownTool(index: Pick<ToolIndex, "near">, name: string): string {
  const near = index.near(name);
  const text = `Unknown tool: ${name}`;
  return near.length === 0 ? text : `${text}\nDid you mean: ${near.join(", ")}`;
}

/** `STAGE failed:` and the reasons, one a line. */
export function refusalText(stage: string, reasons: readonly string[]): string {
  return [`${stage} failed:`, ...reasons.map((reason) => `  - ${reason}`)].join("\n");
}

function refuse(tool: Tool, stage: string, reasons: readonly string[], rule: string): RefusedCall {
  const text = refusalText(stage, reasons);
  const hasSecrets = tool.args.some(({ constraint }) => constraint?.secret);
  const shownText = hasSecrets ? `${stage} failed: not shown, for the tool has secrets` : text;
  return { ok: false, text, shownText, rule };
}

function refuseFor(tool: Tool, stage: string, refusals: readonly Refusal[]): RefusedCall {
  const rules = refusals.map(({ arg, rule }) => {
    return tool.rule === undefined ? `${arg}: ${rule}` : `${tool.rule}.args.${arg}.${rule}`;
  });
  return refuse(tool, stage, refusals.map(({ text }) => text), rules.join(", "));
}

function maskSecrets(args: readonly Arg[], values: CoercedArgs): CoercedArgs {
  const secret = new Set(
    args.filter(({ constraint }) => constraint?.secret).map(({ name }) => name),
  );
  return new Map(values.entries().map(([name, value]) => [name, secret.has(name) ? "***" : value]));
}

/**
 * The directory of a run; a relative one is seen from the config's own. It has no `..` after a name,
 * so that the policy and the system read it alike.
 */
function directoryOf(configured: string | undefined, asked: string | undefined) {
  if (asked === undefined || asked === "") return configured;
  return configured === undefined || isAbsolute(asked) ? normalize(asked) : join(configured, asked);
}
