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
  /** This many bytes of the start of each output stream are stored, and as many of its end. */
  readonly keepBytes: number;
  readonly concurrency: number;
  /** A result has at most this many tokens, as estimated; 0 means no bound. */
  readonly maxResultTokens: number;
  /** Milliseconds after which a call continues in the background, unless its tool says otherwise; 0: never. */
  readonly softTimeoutMs: number;
}

/**
 * Returns how many calls run at once by default: 4 for each core. Deno for Windows reads each pipe of a program in a
 * thread, of which it has 4 for each core: a program takes two, and four are left for the client, files and servers.
 * Without a free one, not even a cancellation is read.
 */
export function defaultConcurrency(cores: number, system: typeof Deno.build.os): number {
  return system === "windows" ? Math.max(1, 2 * cores - 2) : 4 * cores;
}

/** The settings of calls for which nothing else is configured. */
export const defaultCallSettings: CallSettings = {
  graceMs: defaultGraceMs,
  keepBytes: defaultKeepBytes,
  concurrency: defaultConcurrency(navigator.hardwareConcurrency, Deno.build.os),
  maxResultTokens: 10_000,
  softTimeoutMs: 0,
};

/** The gate decides whether calls are made at all. All contexts of a session share one. */
export interface Gate {
  /**
   * Loads files that have changed; each call awaits this. Files that were checked after `arrivedAt`
   * (`performance.now()`) are not checked again.
   */
  refresh?: ((arrivedAt?: number) => Promise<void> | undefined) | undefined;
  /** The reason why all calls are refused; absent while they are accepted. */
  closed?: string | undefined;
}

export interface CallContext {
  /** Runs `work` with the streams, environment and directory with which this context was made. */
  readonly enter: <T>(work: () => T) => T;
  readonly catalog: Catalog;
  /** The current index. It is replaced when the catalogue changes, and must not be stored. */
  readonly index: ToolTable;
  readonly runners: Runners;
  readonly semaphore: FairSemaphore;
  readonly toolPermits: ToolPermits;
  readonly audit?: AuditLog | undefined;
  /** Removes secrets from the text of an entry of the audit log. @default nothing is removed */
  readonly redact?: ((text: string) => string) | undefined;
  /** Keeps calls that wait for a person whom their client cannot ask; absent if such calls are refused. */
  readonly approvals?: Approvals | undefined;
  /** Returns the text of the policy: a yes is valid for this text only. */
  readonly policyText?: (() => string) | undefined;
  readonly gate: Gate;
  /** The format of search results. */
  readonly results: ResultFormat;
  readonly maxResultTokens: number;
  /** Stores a truncated result, which `owner` may read. If this is absent or returns nothing, nothing is stored. */
  readonly keep?: Keep | undefined;
  /** Returns whether a tool may read stored outputs. */
  readonly storesOutputs?: (() => boolean) | undefined;
  /** The jobs of the session; if absent, no call continues in the background. */
  readonly background?: BackgroundJobs | undefined;
  /** The services for prompts and resources; if absent, there are none. */
  readonly features?: FeatureServices | undefined;
  /** Resolves to the answer for a tool that is withheld until a person accepts it; nothing for other tools. */
  readonly explainWithheld?: ((name: string) => Promise<string | undefined>) | undefined;
}

/** The services of a session for prompts and resources. */
export interface FeatureServices {
  /** Finds the tool of a call by the name of a prompt or resource that the policy allows, listed or not. */
  find(
    name: string,
    args: unknown,
  ): Promise<{ readonly tool: Tool; readonly args: unknown } | undefined>;
  /**
   * Calls `onUpdate` whenever the resource of this name changes, while the policy allows it. `owner` is the
   * authenticated client. Returns a function that stops this; nothing for a resource that cannot be subscribed to.
   */
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
  /** The number of calls that run at once. @default {@linkcode defaultCallSettings}'s */
  readonly concurrency?: number | undefined;
  /** Returns the present format of search results. @default contract */
  readonly results?: (() => ResultFormat | undefined) | undefined;
  /** The bound on the tokens of a result. @default {@linkcode defaultCallSettings}'s */
  readonly maxResultTokens?: number | undefined;
  /** The semaphore, which contexts may share. @default a new one */
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

/**
 * Returns a context for a part of the catalogue, which follows changes until `stop`. `make` returns the tools of the
 * part.
 */
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

/** Holds the semaphores of tools whose config limits how many of their calls run at once. */
export class ToolPermits {
  readonly #semaphores = new Map<
    string,
    { readonly count: number; readonly permits: FairSemaphore }
  >();

  /** Returns the semaphore of `tool`, if it has a `concurrency`. It is replaced when that number changes. */
  of({ name, concurrency }: Tool): FairSemaphore | undefined {
    if (concurrency === undefined) return undefined;
    const known = this.#semaphores.get(name);
    if (known?.count === concurrency) return known.permits;
    const permits = new FairSemaphore(concurrency);
    this.#semaphores.set(name, { count: concurrency, permits });
    return permits;
  }
}
