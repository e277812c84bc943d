/**
 * A tool's name and raw arguments → the invocation that would be run, or the text of the refusal.
 * Nothing is run here, which is what makes `--dry-run` honest.
 */

import { isAbsolute, join } from "node:path";
import type { ToolIndex } from "../catalog/tool_index.ts";
import { childEnvironment } from "../exec/child_environment.ts";
import type { Invocation } from "../exec/invocation.ts";
import type { Tool } from "../tool/tool.ts";
import { buildArgv } from "./argv.ts";
import { coerceArgs } from "./coerce.ts";

/** A tool to run and what to run it with. */
export interface CallRequest {
  readonly tool: string;
  /** What the agent sent; absent and `null` mean no arguments. */
  readonly args?: unknown;
}

/** A call ready to run, or the text that refuses it. */
export type Prepared =
  | { readonly ok: true; readonly tool: Tool; readonly invocation: Invocation }
  | { readonly ok: false; readonly text: string };

/** Finds the tool, checks the arguments in the contract's order and builds the invocation. */
export function prepareCall(index: ToolIndex, request: CallRequest): Prepared {
  const tool = index.get(request.tool);
  if (tool === undefined) return refuse(unknownTool(index, request.tool));

  const given = request.args ?? {};
  if (typeof given !== "object" || Array.isArray(given)) {
    return refuse(refusalText("Argument validation", ["'args' must be an object"]));
  }
  const coercion = coerceArgs(tool.args, given as Record<string, unknown>);
  if (!coercion.ok) return refuse(refusalText("Argument validation", coercion.reasons));

  const { argv, stdin, cwd } = buildArgv(tool.source, tool.args, coercion.values);
  const directory = directoryOf(tool.source.workingDir, cwd);
  const invocation: Invocation = {
    argv,
    ...(directory === undefined ? {} : { cwd: directory }),
    env: childEnvironment(tool.source.env),
    ...(stdin === undefined ? {} : { stdin }),
    timeoutMs: tool.timeoutMs,
  };
  return { ok: true, tool, invocation };
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

function refuse(text: string): Prepared {
  return { ok: false, text };
}

/** A relative directory is seen from the config's own. */
function directoryOf(configured: string | undefined, asked: string | undefined) {
  if (asked === undefined || asked === "") return configured;
  return configured === undefined || isAbsolute(asked) ? asked : join(configured, asked);
}
