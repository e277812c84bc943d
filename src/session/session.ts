/** START HERE for start-up: audit log → load (sources → policy, in `load.ts`) → index of tools → watch files. */

import type { Approvals } from "../call/approvals.ts";
import { type CallContext, callContext, type CallContextOptions } from "../call/context.ts";
import type { AuditLog } from "../call/audit_log.ts";
import type { ResultFormat } from "../catalog/compact.ts";
import { Catalog } from "../catalog/catalog.ts";
import { sandboxesOf } from "../exec/executor.ts";
import { ToolTable } from "../catalog/tool_table.ts";
import { ClimaxError, ExitCode, formatProblem, loadError } from "../errors.ts";
import { type LoadedSession, loadTools } from "./load.ts";
import { builtinOf, narrowToInstalled, type SourceOptions } from "./sources.ts";
import { log } from "../log.ts";
import { allPermissions, type Permissions, runnersWithTools } from "../tool/runner.ts";
import { readTool } from "../jobs/outputs.ts";
import type { Tool } from "../tool/tool.ts";
import type { BuiltinToolSource } from "../sources/builtin/builtin_source.ts";
import { watchFiles } from "./watch_files.ts";

export interface SessionOptions extends SourceOptions {
  /** The path of a file of example requests by a language model, with which search finds tools. */
  readonly examples?: string | undefined;
  readonly audit?: string | undefined;
  readonly recordsActivity?: boolean | undefined;
  /** True to prepare for calls, such as to find every program. @default true */
  readonly preparesCalls?: boolean | undefined;
  readonly watch?: boolean | undefined;
  readonly results?: ResultFormat | undefined;
  /** Opens the store of calls that wait for a person. @default calls that need a person are refused */
  readonly approvals?: (() => Promise<Approvals | undefined>) | undefined;
  readonly shared?: Pick<CallContextOptions, "audit" | "semaphore" | "toolPermits"> | undefined;
}

export interface Session extends CallContext, AsyncDisposable {
  permissions(): Permissions;
  followSources(): void;
  /** Prepares search by meaning for the tools of `context`, by default of this session. Resolves even if that fails. */
  searchByMeaning(context?: CallContext): Promise<void>;
  close(): Promise<void>;
}

/** Opens a session whole, or closes all that was opened; logs warnings. @throws {ClimaxError} with every problem */
export async function openSession(options: SessionOptions): Promise<Session> {
  await using opening = new AsyncDisposableStack();
  // The audit log is opened first, because loading may start servers, which must not run unrecorded
  const audit = await openAudit(options);
  opening.defer(() => audit?.close());
  const builtin = builtinOf(options);
  const enriched = await exampleTexts(options.examples);
  const loaded = await loadTools({ ...options, builtin, narrow: narrowToInstalled(options) });
  opening.defer(loaded.close);
  if (loaded.problems.length > 0) throw loadError(loaded.problems);
  await requireSandboxes(loaded);
  for (const warning of loaded.warnings) log("warning", formatProblem(warning));
  if (options.preparesCalls ?? true) {
    for (const [runner, own] of runnersWithTools(loaded)) runner.start?.(own);
  }
  const catalog = new Catalog([...loaded.tools, ...loaded.features], (own) => {
    const all = builtin.withTools(own);
    return new ToolTable(enriched?.(all) ?? all, loaded.absent(), loaded.uncallable());
  });
  builtin.subscribeShown(() => catalog.rebuild());
  // The store of approvals can be opened only at the start, and servers may later add tools that need it
  const asks = options.mcp !== undefined || loaded.tools.some(({ needsConsent }) => needsConsent);
  const approvals = asks ? await options.approvals?.() : undefined;
  const context = contextOf(options, { catalog, loaded, builtin, audit, approvals });
  const { watch, policy, clock } = options;
  const files = watch ? { configs: () => loaded.files, policy } : { configs: () => [] };
  opening.defer(watchFiles(files, context.gate, () => loaded.reload(catalog), clock));
  return sessionOf(context, loaded, opening.move());
}

async function openAudit(options: SessionOptions): Promise<AuditLog | undefined> {
  if (options.audit === undefined && !options.recordsActivity) return undefined;
  return await (await import("../call/audit_log.ts")).openAuditLog(options);
}

async function exampleTexts(path: string | undefined) {
  if (path === undefined) return undefined;
  const { readExamples, withExamples } = await import("../catalog/written_examples.ts");
  const written = await readExamples(path);
  return (tools: readonly Tool[]) => withExamples(tools, written);
}

function contextOf(
  { calls = {}, shared, results, jobs }: SessionOptions,
  { catalog, loaded, builtin, audit, approvals }: {
    readonly approvals: Approvals | undefined;
    readonly catalog: Catalog;
    readonly loaded: LoadedSession;
    readonly builtin: BuiltinToolSource;
    readonly audit: AuditLog | undefined;
  },
): CallContext {
  const { concurrency, maxResultTokens, softTimeoutMs = 0 } = calls;
  const { outputs } = builtin;
  return callContext(catalog, {
    runners: loaded.runners,
    concurrency,
    audit: audit ?? shared?.audit,
    approvals,
    policyText: () => loaded.policyText(),
    semaphore: shared?.semaphore,
    toolPermits: shared?.toolPermits,
    results: () => results ?? loaded.resultFormat(),
    keep: outputs && ((text, owner) => builtin.keep(text, owner)),
    storesOutputs: () => builtin.isAllowed(readTool),
    background: jobs && builtin.backgroundJobs(jobs, softTimeoutMs),
    maxResultTokens,
    features: loaded.featuresOf(() => catalog.index),
    explainWithheld: (name) => loaded.explainWithheld(name),
  });
}

function sessionOf(
  context: CallContext,
  loaded: LoadedSession,
  opened: AsyncDisposableStack,
): Session {
  let ending: Promise<void> | undefined;
  const close = () => ending ??= opened.disposeAsync();
  return Object.assign(context, {
    permissions: () =>
      allPermissions(runnersWithTools(loaded).map(([runner]) => runner.permissions?.() ?? {})),
    followSources: () => loaded.follow(context.catalog),
    searchByMeaning: ({ catalog }: CallContext = context) => loaded.searchByMeaning(catalog),
    close,
    [Symbol.asyncDispose]: close,
  });
}

/** @throws {ClimaxError} if the policy demands a sandbox that cannot be made */
async function requireSandboxes({ executor }: LoadedSession): Promise<void> {
  const sandboxes = sandboxesOf(executor);
  if (sandboxes.length === 0) return;
  const { sandboxProblem } = await import("../exec/sandbox_check.ts");
  const problem = await sandboxProblem(sandboxes);
  if (problem === undefined) return;
  throw new ClimaxError("Programs cannot be held in a sandbox", ExitCode.failure, [problem]);
}
