/** A warning for a policy under which background tools block their callers. */

import type { Problem } from "../errors.ts";
import { resultTool, statusTool } from "../jobs/jobs.ts";
import { isBuiltin, type Tool } from "../tool/tool.ts";
import type { SourceOptions } from "./sources.ts";

/** Warns if a policy denies the tools that read jobs, so that a background tool blocks its caller. */
export function foregroundWarning(
  tools: readonly Tool[],
  policy: SourceOptions["policy"],
): Problem[] {
  const names = new Set(tools.filter(isBuiltin).map(({ name }) => name));
  const missing = [statusTool, resultTool].filter((name) => !names.has(name));
  const tool = tools.find(({ background }) => background);
  if (policy === undefined || tool === undefined || missing.length === 0) return [];
  const file = typeof policy === "string" ? policy : policy.file;
  const message =
    `Calls of '${tool.name}' do not continue in the background, although its config says so`;
  return [{ file, message, hint: `List ${missing.map((name) => `'${name}'`).join(" and ")} too` }];
}
