/**
 * START HERE for start-up: locate → load each source → policy → index. Everything before the first
 * call, in the order it happens, and the end of what was opened for it.
 */

import { AuditLog } from "./call/audit.ts";
import { type CallContext, callContext, type CallSettings } from "./call/context.ts";
import { ToolIndex } from "./catalog/tool_index.ts";
import type { Environment } from "./document/expand.ts";
import type { NamedText } from "./document/text_file.ts";
import { ClimaxError, ExitCode, formatProblem } from "./errors.ts";
import type { Executor } from "./exec/executor.ts";
import { log } from "./log.ts";
import { type AllNeeds, needsOf } from "./needs.ts";
import type { PolicyResult } from "./policy/load.ts";
import { requiredVariable } from "./process/environment.ts";
import { loadConfigs } from "./sources/command/load.ts";
import { commandRunner } from "./sources/command/runner.ts";
import { commandKind } from "./sources/command/source.ts";
import { plural } from "./text/plural.ts";
import type { NeedsOptions, Runners } from "./tool/runner.ts";

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
export interface Session extends CallContext, AsyncDisposable {
  /**
   * The permissions that serving it takes.
   *
   * @throws {ClimaxError} when a program that is to be named by its path cannot be found
   */
  needs(options?: NeedsOptions): Promise<AllNeeds>;
  /** Ends everything that the session opened; resolves when it is gone. */
  close(): Promise<void>;
}

/**
 * Opens a session, all or nothing. Doubts that do not keep it from opening are logged.
 *
 * @throws {ClimaxError} with every problem of every config and of the policy when there is one
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  const loaded = await loadTools(options);
  const { tools, runners, problems, warnings } = loaded;
  if (problems.length > 0) {
    const count = plural(problems.length, "problem");
    throw new ClimaxError(`Nothing was loaded: ${count}`, ExitCode.file, problems);
  }
  const audit = options.audit === undefined ? undefined : AuditLog.open(options.audit);
  for (const warning of warnings) log("warning", formatProblem(warning));
  const { concurrency } = options.calls ?? {};
  const close = async () => {
    await Promise.all([...runners.values()].map((runner) => runner.close()));
    audit?.close();
  };
  return {
    ...callContext(new ToolIndex(tools), { runners, concurrency, audit }),
    needs: (asked) => needsOf(loaded, options, asked),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The tools that configs and policy come to, with everything that is wrong or doubtful. */
export interface LoadedTools extends PolicyResult {
  /** What carries out the calls of the tools. */
  readonly runners: Runners;
  /** Names of the environment variables that were looked up. */
  readonly variables: ReadonlySet<string>;
}

/** Loads every source and the policy; the policy sees the tools before anything else does. */
export async function loadTools(options: SessionOptions): Promise<LoadedTools> {
  const variables = new Set<string>();
  const environment: Environment = (name) => {
    variables.add(name);
    return requiredVariable(name);
  };
  const loaded = await loadConfigs(options.configs, environment);
  const left = await applyPolicy(loaded, options, environment);
  return { ...left, variables, runners: runnersFor(left.executor, options.calls) };
}

function runnersFor(executor: Executor, calls: Partial<CallSettings> = {}): Runners {
  return new Map([[commandKind, commandRunner({ ...calls, executor })]]);
}

async function applyPolicy(
  loaded: Omit<PolicyResult, "executor" | "looksAt">,
  { policy, strict = false }: SessionOptions,
  environment: Environment,
): Promise<PolicyResult> {
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
