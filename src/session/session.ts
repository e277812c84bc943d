/**
 * START HERE for start-up: audit log → load (sources → policy, in `load.ts`) → index → watch.
 * Has everything before the first call, in order, and closes what it opened.
 */

import { type CallContext, callContext, type CallContextOptions } from "../call/context.ts";
import type { AuditLog } from "../call/audit_log.ts";
import { closeAudit, openAudit } from "../call/open_audit.ts";
import type { ResultFormat } from "../catalog/compact.ts";
import { Catalog } from "../catalog/catalog.ts";
import { type Executor, sandboxesOf } from "../exec/executor.ts";
import { ToolTable } from "../catalog/tool_table.ts";
import { ClimaxError, ExitCode, formatProblem, loadError, type Problem } from "../errors.ts";
import { type LoadedTools, loadTools } from "./load.ts";
import type { SourceOptions } from "./sources.ts";
import { log } from "../log.ts";
import {
  permissionsOf,
  runnersWithTools,
  type SessionPermissionOptions,
  type SessionPermissions,
} from "./permissions.ts";
import { readTool } from "../jobs/outputs.ts";
import { BuiltinTools } from "../sources/builtin/builtin_tools.ts";
import { watchFiles } from "./watch_files.ts";

export interface SessionOptions extends SourceOptions {
  /** Path of example requests that a language model wrote for tools; they are searched too. */
  readonly examples?: string | undefined;
  /** Path of the audit log. */
  readonly audit?: string | undefined;
  /** Prepares for calls, such as by finding every program. @default true */
  readonly preparesCalls?: boolean | undefined;
  /** Loads configs and policy again when their files change. @default false */
  readonly watch?: boolean | undefined;
  /** The format of search results. @default that of the policy, or of the config, or contract */
  readonly results?: ResultFormat | undefined;
  /** What the sessions of one process share; their maker closes it. @default each has its own */
  readonly shared?: Pick<CallContextOptions, "audit" | "semaphore" | "toolPermits"> | undefined;
}

export interface Session extends CallContext, AsyncDisposable {
  /**
   * The permissions that serving takes.
   *
   * @throws {ClimaxError} when a program that is to be named by its path cannot be found
   */
  permissions(options?: SessionPermissionOptions): Promise<SessionPermissions>;
  /**
   * Updates the catalogue, under the policy, whenever upstream servers report changes. To be called after the
   * first response.
   */
  followSources(): void;
  /**
   * Embeds the tools of `context`, the session by default, if a config names a server for that. Resolves when
   * they are embedded, or that has failed.
   */
  searchByMeaning(context?: CallContext): Promise<void>;
  /** Closes everything that the session opened. */
  close(): Promise<void>;
}

/**
 * Opens a session, all or nothing. Warnings are logged.
 *
 * @throws {ClimaxError} with every problem of every config and of the policy
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  // First, as loading may start servers
  const audit = await openAudit(options.audit);
  try {
    return await openWith(audit, options);
  } catch (error) {
    audit?.close();
    throw error;
  }
}

async function openWith(audit: AuditLog | undefined, options: SessionOptions): Promise<Session> {
  const { examples } = options;
  const enriched = examples === undefined
    ? undefined
    : await (await import("../catalog/written_examples.ts")).enriching(examples);
  const loaded = await loadTools(options);
  const { tools, runners, problems, warnings } = loaded;
  if (problems.length > 0) {
    await loaded.close();
    throw loadError(problems);
  }
  await requireSandboxes(loaded);
  for (const warning of warnings) log("warning", formatProblem(warning));
  const prepared = options.preparesCalls ?? true ? runnersWithTools(loaded) : [];
  for (const [runner, own] of prepared) runner.start?.(own);
  const { concurrency, maxResultTokens, softTimeoutMs = 0 } = options.calls ?? {};
  const builtinTools = new BuiltinTools(loaded.builtin, () => catalog.rebuild(), [
    ...loaded.outputs?.isShared ? ["outputs" as const] : [],
    ...options.jobs?.isShared ? ["jobs" as const] : [],
  ]);
  const catalog = new Catalog([...tools, ...loaded.features], (own) => {
    const all = builtinTools.withTools(own);
    return new ToolTable(enriched?.(all) ?? all, loaded.absent());
  });
  const { outputs } = loaded;
  const context = callContext(catalog, {
    runners,
    concurrency,
    audit: audit ?? options.shared?.audit,
    semaphore: options.shared?.semaphore,
    toolPermits: options.shared?.toolPermits,
    results: () => options.results ?? loaded.resultFormat(),
    keep: outputs && ((text, owner) => builtinTools.keep(outputs, text, owner)),
    keepsOutputs: outputs && (() => builtinTools.isAllowed(readTool)),
    background: options.jobs && builtinTools.backgroundJobs(options.jobs, softTimeoutMs),
    maxResultTokens,
    features: loaded.featuresOf(() => catalog.index),
    explainWithheld: loaded.explainWithheld,
  });
  const files = options.watch
    ? {
      configs: () => [...loaded.serverFiles, ...loaded.files],
      policy: options.policy,
    }
    : { configs: () => [] };
  const reload = () => loaded.reload(catalog);
  const unwatch = await watchFiles(files, context.gate, reload, options.clock);
  const end = async () => {
    unwatch();
    await loaded.close();
    closeAudit(audit, options.audit);
  };
  let ending: Promise<void> | undefined;
  const close = () => ending ??= end();
  const session: Session = {
    ...context,
    get index() {
      return catalog.index;
    },
    get results() {
      return context.results;
    },
    permissions: (asked) => permissionsOf(loaded, options, asked),
    followSources: () => loaded.follow(catalog),
    searchByMeaning: async (context = session) => await loaded.searchByMeaning(context.catalog),
    close,
    [Symbol.asyncDispose]: close,
  };
  return session;
}

async function sandboxProblemOf(executor: Executor): Promise<Problem | undefined> {
  const sandboxes = sandboxesOf(executor);
  if (sandboxes.length === 0) return undefined;
  const { sandboxProblem } = await import("../exec/sandbox_check.ts");
  return await sandboxProblem(sandboxes);
}

/** @throws {ClimaxError} when programs cannot be held as the policy demands */
async function requireSandboxes({ executor, close }: LoadedTools): Promise<void> {
  const problem = await sandboxProblemOf(executor);
  if (problem === undefined) return;
  await close();
  throw new ClimaxError("Programs cannot be held in a sandbox", ExitCode.failure, [problem]);
}
