/**
 * START HERE for start-up: load configs → apply the policy → build the index. Everything before the
 * first call, in the order it happens; what comes out is all that serving needs.
 */

import { AuditLog } from "./call/audit.ts";
import { type CallContext, callContext, type CallSettings } from "./call/context.ts";
import { ToolIndex } from "./catalog/tool_index.ts";
import { loadConfigs } from "./sources/command/load.ts";
import { requiredVariable } from "./process/environment.ts";
import { ClimaxError, ExitCode, formatProblem } from "./errors.ts";
import type { Environment } from "./document/expand.ts";
import { log } from "./log.ts";
import { plural } from "./text/plural.ts";
import type { PolicyResult } from "./policy/load.ts";
import type { NamedText } from "./document/text_file.ts";

/** What to start with. */
export interface SessionOptions {
  /** Bundled names, paths and texts at hand, in the order they are merged. */
  readonly configs: readonly (string | NamedText)[];
  /** Path or text of a policy; absent: every tool may be called with any arguments. */
  readonly policy?: string | NamedText | undefined;
  /** Whether a tool that the policy names and no config has is an error. @default false */
  readonly strict?: boolean | undefined;
  /** Path of the audit log. */
  readonly audit?: string | undefined;
  readonly calls?: Partial<CallSettings> | undefined;
}

/** A catalogue ready to be served and called. */
export type Session = CallContext;

/**
 * Opens a session, all or nothing. Doubts that do not keep it from opening are logged.
 *
 * @throws {ClimaxError} with every problem of every config and of the policy when there is one
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { tools, executor, problems, warnings } = await loadTools(options);
  if (problems.length > 0) {
    const count = plural(problems.length, "problem");
    throw new ClimaxError(`Nothing was loaded: ${count}`, ExitCode.file, problems);
  }
  const audit = options.audit === undefined ? undefined : AuditLog.open(options.audit);
  for (const warning of warnings) log("warning", formatProblem(warning));
  return callContext(new ToolIndex(tools), {
    executor,
    ...(options.calls === undefined ? {} : { settings: options.calls }),
    ...(audit === undefined ? {} : { audit }),
  });
}

/** The tools that configs and policy come to, with everything that is wrong or doubtful. */
export type LoadedTools = PolicyResult;

/** Loads configs and policy; the policy sees the tools before anything else does. */
export async function loadTools(
  { configs, policy, strict = false }: SessionOptions,
  environment: Environment = requiredVariable,
): Promise<LoadedTools> {
  const loaded = await loadConfigs(configs, environment);
  if (policy === undefined) return { ...loaded, executor: { kind: "local" }, looksAt: [] };
  const { loadPolicy } = await import("./policy/load.ts");
  const applied = await loadPolicy(policy, loaded.tools, {
    environment,
    // What a broken config would have had is not known
    strict: strict && loaded.problems.length === 0,
  });
  return {
    ...applied,
    problems: [...loaded.problems, ...applied.problems],
    unreadable: loaded.unreadable || applied.unreadable,
    warnings: [...loaded.warnings, ...applied.warnings],
  };
}
