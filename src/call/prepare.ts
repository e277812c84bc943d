/**
 * A tool's name and raw arguments → the invocation that would be run, or the text of the refusal.
 * Nothing is run here, which is what makes `--dry-run` honest.
 */

import type { ToolIndex } from "../catalog/tool_index.ts";
import { excerpt } from "../text/excerpt.ts";
import { childEnvironment } from "../exec/child_environment.ts";
import { containerName, type Executor, inContainer } from "../exec/executor.ts";
import type { Invocation } from "../exec/invocation.ts";
import { workingDirectory } from "../exec/working_directory.ts";
import { checkConstraints, checkLeadingDashes, type Refusal } from "../policy/check.ts";
import type { ArgValue, Tool } from "../tool/tool.ts";
import { buildArgv, type CommandLine } from "../sources/command/argv.ts";
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
  /** The directory likewise; absent where the invocation has none. */
  readonly shownCwd?: string;
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

  const line = buildArgv(tool.source, tool.args, values);
  const directory = workingDirectory(tool.source.workingDir, line.cwd);
  const refusals = await checkConstraints(tool.args, values, directory);
  if (refusals.length > 0) return refuseFor(tool, "Policy validation", refusals);

  const name = containerName();
  const invocation = invocationOf(ground.executor, tool, { line, name });
  const { argv, cwd } = hasSecrets(tool)
    ? invocationOf(ground.executor, tool, { line: maskedLine(tool, values), name })
    : invocation;
  return {
    ok: true,
    tool,
    invocation,
    shownArgv: argv,
    ...(cwd === undefined ? {} : { shownCwd: cwd }),
  };
}

/** `line` on this machine, or in the container called `name`. */
function invocationOf(
  executor: Executor,
  { source, timeoutMs }: Tool,
  { line, name }: { readonly line: CommandLine; readonly name: string },
): Invocation {
  const { argv, stdin, cwd } = line;
  const directory = workingDirectory(source.workingDir, cwd);
  const local: Invocation = {
    argv,
    ...(directory === undefined ? {} : { cwd: directory }),
    env: childEnvironment(source.env),
    ...(stdin === undefined ? {} : { stdin }),
    timeoutMs,
  };
  if (executor.kind === "local") return local;
  return inContainer(local, executor, {
    name,
    variables: Object.keys(source.env),
    ...(cwd === undefined ? {} : { cwd }),
  });
}

/** `Unknown tool: X`, with the names that may have been meant on a line of their own. */
export function unknownTool(index: Pick<ToolIndex, "near">, name: string): string {
  const near = index.near(name);
  const text = `Unknown tool: ${excerpt(name, 200).toWellFormed()}`;
  return near.length === 0 ? text : `${text}\nDid you mean: ${near.join(", ")}`;
}

/** `STAGE failed:` and the reasons, one a line. */
export function refusalText(stage: string, reasons: readonly string[]): string {
  return [`${stage} failed:`, ...reasons.map((reason) => `  - ${reason}`)].join("\n");
}

function refuse(tool: Tool, stage: string, reasons: readonly string[], rule: string): RefusedCall {
  const text = refusalText(stage, reasons);
  const shownText = hasSecrets(tool)
    ? `${stage} failed: not shown, for the tool has secrets`
    : text;
  return { ok: false, text, shownText, rule };
}

function refuseFor(tool: Tool, stage: string, refusals: readonly Refusal[]): RefusedCall {
  const rules = refusals.map(({ arg, rule }) => {
    return tool.rule === undefined ? `${arg}: ${rule}` : `${tool.rule}.args.${arg}.${rule}`;
  });
  return refuse(tool, stage, refusals.map(({ text }) => text), rules.join(", "));
}

function hasSecrets({ args }: Tool): boolean {
  return args.some(({ constraint }) => constraint?.secret);
}

function maskedLine({ source, args }: Tool, values: CoercedArgs): CommandLine {
  const secret = new Set(
    args.filter(({ constraint }) => constraint?.secret).map(({ name }) => name),
  );
  const masked = values.entries().map(([name, value]): [string, ArgValue] => {
    return [name, secret.has(name) ? "***" : value];
  });
  return buildArgv(source, args, new Map(masked));
}
