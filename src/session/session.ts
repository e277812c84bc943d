/**
 * START HERE for start-up: load (sources → policy, in `loading.ts`) → audit log → index → watch.
 * Everything before the first call, in the order it happens, and the end of what was opened for it.
 */

import { type CallContext, callContext } from "../call/context.ts";
import { closeAudit, openAudit } from "../call/open_audit.ts";
import type { ResultFormat } from "../catalog/compact.ts";
import { Catalog } from "../catalog/catalog.ts";
import { ToolIndex } from "../catalog/tool_index.ts";
import { ClimaxError, ExitCode, formatProblem } from "../errors.ts";
import { loadTools } from "./load.ts";
import type { SourceOptions } from "./sources.ts";
import { log } from "../log.ts";
import {
  permissionsOf,
  runnersWithTools,
  type SessionPermissionOptions,
  type SessionPermissions,
} from "./permissions.ts";
import { BuiltinTools } from "../sources/builtin/builtin_tools.ts";
import { plural } from "../text/plural.ts";
import { watchFiles } from "./watch_files.ts";

/** What to start with. */
export interface SessionOptions extends SourceOptions {
  /** Path of requests that a language model wrote for tools, which are searched too. */
  readonly examples?: string | undefined;
  /** Path of the audit log. */
  readonly audit?: string | undefined;
  /** Whether configs and policy are loaded anew when their files change. @default false */
  readonly watch?: boolean | undefined;
  /** What agents read of tools. @default as the policy says, or the config, or else contract */
  readonly results?: ResultFormat | undefined;
  /** A session whose permits and audit log this one uses too. */
  readonly shared?: Pick<CallContext, "audit" | "semaphore" | "toolPermits"> | undefined;
}

/** A catalogue ready to be served and called. */
export interface Session extends CallContext, AsyncDisposable {
  /**
   * The permissions that serving it takes.
   *
   * @throws {ClimaxError} when a program that is to be named by its path cannot be found
   */
  permissions(options?: SessionPermissionOptions): Promise<SessionPermissions>;
  /**
   * From now on the catalogue follows its servers: what they have news of is held by the policy and
   * exchanged as a whole. To be called behind the first answer.
   */
  followSources(): void;
  /**
   * From now on `context`, the session itself if it is none of its parts, is searched by meaning too
   * where a config names a server for embeddings. Resolves when its tools are embedded, or that failed.
   */
  searchByMeaning(context?: CallContext): Promise<void>;
  /** Ends everything that the session opened; resolves when it is gone. */
  close(): Promise<void>;
}

/**
 * Opens a session, all or nothing. Doubts that do not keep it from opening are logged.
 *
 * @throws {ClimaxError} with every problem of every config and of the policy when there is one
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { examples } = options;
  const enriched = examples === undefined
    ? undefined
    : await (await import("../catalog/written_examples.ts")).enriching(examples);
  const loaded = await loadTools(options);
  const { tools, runners, problems, warnings } = loaded;
  if (problems.length > 0) {
    await loaded.close();
    const count = plural(problems.length, "problem");
    throw new ClimaxError(`Nothing was loaded: ${count}`, ExitCode.file, problems);
  }
  const audit = await openAudit(options.audit, loaded.close);
  for (const warning of warnings) log("warning", formatProblem(warning));
  for (const [runner, own] of runnersWithTools(loaded)) runner.start?.(own);
  const { concurrency, maxResultTokens, softTimeoutMs = 0 } = options.calls ?? {};
  const shelf = new BuiltinTools(loaded.builtin, () => catalog.rebuild());
  const catalog = new Catalog(tools, (own) => {
    const all = shelf.withTools(own);
    return new ToolIndex(enriched?.(all) ?? all, loaded.absent());
  });
  const { outputs } = loaded;
  const context = callContext(catalog, {
    runners,
    concurrency,
    audit: audit ?? options.shared?.audit,
    queue: options.shared?.semaphore,
    toolPermits: options.shared?.toolPermits,
    results: options.results ?? loaded.results,
    keep: outputs && ((text, owner) => shelf.keep(outputs, text, owner)),
    background: options.jobs && shelf.backgroundJobs(options.jobs, softTimeoutMs),
    maxResultTokens,
  });
  const files = options.watch ? { configs: loaded.files, policy: options.policy } : { configs: [] };
  const unwatch = await watchFiles(files, context.gate, () => loaded.reload(catalog));
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
    permissions: (asked) => permissionsOf(loaded, options, asked),
    followSources: () => loaded.follow(catalog),
    searchByMeaning: async (context = session) => await loaded.embedder?.follow(context.catalog),
    close,
    [Symbol.asyncDispose]: close,
  };
  return session;
}
