/** The state that all calls of a session share. */

import { bound } from "../io.ts";
import type { ResultFormat } from "../catalog/compact.ts";
import { Catalog } from "../catalog/catalog.ts";
import type { ToolTable } from "../catalog/tool_table.ts";
import type { Runner, Runners } from "../tool/runner.ts";
import type { WholeOutput } from "../tool/result.ts";
import type { Tool } from "../tool/tool.ts";
import type { Approvals } from "./approvals.ts";
import type { AuditLog } from "./audit_log.ts";
import type { BackgroundJobs } from "./background.ts";
import { defaultGraceMs, defaultKeepBytes } from "../exec/invocation.ts";
import type { SelectableOutput } from "./truncate_result.ts";
import { FairSemaphore } from "../async/semaphore.ts";

export interface CallSettings {
  readonly graceMs: number;
  readonly keepBytes: number;
  readonly concurrency: number;
  readonly maxResultTokens: number;
  readonly softTimeoutMs: number;
}

/**
 * Returns how many calls run at once. On Windows, Deno has 4 threads per core, and each of a program's two pipes blocks
 * one; four stay free, since without them climax could not even read a cancellation.
 */
export function defaultConcurrency(cores: number, system: typeof Deno.build.os): number {
  return system === "windows" ? Math.max(1, 2 * cores - 2) : 4 * cores;
}

export const defaultCallSettings: CallSettings = {
  graceMs: defaultGraceMs,
  keepBytes: defaultKeepBytes,
  concurrency: defaultConcurrency(navigator.hardwareConcurrency, Deno.build.os),
  maxResultTokens: 10_000,
  softTimeoutMs: 0,
};

export interface Gate {
  /** Loads changed files before a call, except files that were checked after `arrivedAt` (`performance.now()`). */
  refresh?: ((arrivedAt?: number) => Promise<void> | undefined) | undefined;
  closed?: string | undefined;
}

export interface CallContext {
  /** Runs `work` with the streams, environment and working directory of the session that made this context. */
  readonly enter: <T>(work: () => T) => T;
  readonly catalog: Catalog;
  /** The tools as they are now. A change of the catalogue replaces the index, so callers must not store it. */
  readonly index: ToolTable;
  readonly runners: Runners;
  readonly semaphore: FairSemaphore;
  readonly toolPermits: ToolPermits;
  readonly audit?: AuditLog | undefined;
  readonly redact?: ((text: string) => string) | undefined;
  /** Where calls wait for a person. If absent, a call is refused when its client cannot show a question. */
  readonly approvals?: Approvals | undefined;
  /** Returns the text of the policy. A person's yes is bound to it, so that a change of the policy ends it. */
  readonly policyText?: (() => string) | undefined;
  readonly gate: Gate;
  readonly results: ResultFormat;
  readonly maxResultTokens: number;
  readonly keep?: Keep | undefined;
  readonly storesOutputs?: (() => boolean) | undefined;
  readonly background?: BackgroundJobs | undefined;
  readonly features?: FeatureServices | undefined;
  /** Explains why a tool is not served until a person accepts it; `undefined` if the name is not of such a tool. */
  readonly explainWithheld?: ((name: string) => Promise<string | undefined>) | undefined;
}

export interface FeatureServices {
  /** Finds a prompt or resource that the policy allows, even an unlisted one, as a tool with arguments. */
  find(
    name: string,
    args: unknown,
  ): Promise<{ readonly tool: Tool; readonly args: unknown } | undefined>;
  /** Calls `onUpdate` when the resource changes, if the policy allows reading it. Returns a function that ends this. */
  subscribe(name: string, onUpdate: () => void, owner?: string): Promise<(() => void) | undefined>;
}

type Keep = (
  text: string | WholeOutput,
  owner: string | undefined,
) => SelectableOutput | undefined | Promise<SelectableOutput | undefined>;

export interface CallContextOptions extends
  Pick<
    CallContext,
    | "runners"
    | "audit"
    | "approvals"
    | "policyText"
    | "keep"
    | "storesOutputs"
    | "background"
    | "features"
    | "explainWithheld"
  > {
  readonly concurrency?: number | undefined;
  readonly results?: (() => ResultFormat | undefined) | undefined;
  readonly maxResultTokens?: number | undefined;
  readonly semaphore?: FairSemaphore | undefined;
  readonly toolPermits?: ToolPermits | undefined;
}

export function callContext(catalog: Catalog, options: CallContextOptions): CallContext {
  const { concurrency = defaultCallSettings.concurrency, ...given } = options;
  return {
    ...given,
    enter: bound((work) => work()) as CallContext["enter"],
    catalog,
    get index() {
      return catalog.index;
    },
    semaphore: given.semaphore ?? new FairSemaphore(concurrency),
    toolPermits: given.toolPermits ?? new ToolPermits(),
    gate: {},
    get results() {
      return given.results?.() ?? "contract";
    },
    maxResultTokens: given.maxResultTokens ?? defaultCallSettings.maxResultTokens,
  };
}

/** Returns a context for a script or sub-agent, with the tools that `make` selects, kept up to date until `stop`. */
export function narrowContext(
  context: CallContext,
  { make, ...own }: Partial<Pick<CallContext, "background" | "redact">> & {
    readonly make: (index: ToolTable) => ToolTable;
  },
): { readonly context: CallContext; stop(): void } {
  const catalog = Catalog.of(make(context.index));
  const stop = context.catalog.subscribe(() => catalog.replace(make(context.index)));
  const scoped = {
    ...context,
    features: undefined,
    explainWithheld: undefined,
    ...own,
    catalog,
    get index() {
      return catalog.index;
    },
    get results() {
      return context.results;
    },
  };
  return { context: scoped, stop };
}

export function runnerOf({ runners }: Pick<CallContext, "runners">, { source }: Tool): Runner {
  const runner = runners.get(source.kind);
  if (runner === undefined) throw new Error(`No runner for sources of kind '${source.kind}'`);
  return runner;
}

export class ToolPermits {
  readonly #semaphores = new Map<string, FairSemaphore>();

  of({ name, concurrency }: Tool): FairSemaphore | undefined {
    if (concurrency === undefined) return undefined;
    const key = `${concurrency} ${name}`;
    return this.#semaphores.getOrInsertComputed(key, () => new FairSemaphore(concurrency));
  }
}
