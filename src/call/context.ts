/** What every call of a session shares. */

import type { ResultFormat } from "../catalog/compact.ts";
import { Catalog } from "../catalog/catalog.ts";
import type { ToolIndex } from "../catalog/tool_index.ts";
import type { Runner, Runners } from "../tool/runner.ts";
import type { FullText } from "../tool/result.ts";
import type { Tool } from "../tool/tool.ts";
import type { AuditLog } from "./audit_log.ts";
import type { BackgroundJobs } from "./background.ts";
import { defaultGraceMs, defaultKeepBytes } from "../exec/run.ts";
import type { StoredText } from "./truncate_result.ts";
import { FairSemaphore } from "../async/semaphore.ts";
import { ToolPermits } from "./tool_permits.ts";

/** Settings of the calls of a session. */
export interface CallSettings {
  /** Milliseconds between asking a process tree to end and making it. */
  readonly graceMs: number;
  /** Bytes kept of the beginning, and as many of the end, of each output stream. */
  readonly keepBytes: number;
  /** Calls that run at once. */
  readonly concurrency: number;
  /** Whether results keep terminal control sequences. */
  readonly keepAnsi: boolean;
  /** Tokens that a result may cost, as estimated; 0: as many as there are. */
  readonly maxResultTokens: number;
  /** Milliseconds after which a call goes on behind an answer where its tool does not say; 0: never. */
  readonly softTimeoutMs: number;
  /** Calls that go on behind their answers at once; absent: half of `concurrency`. */
  readonly jobs?: number | undefined;
}

/** The settings when nobody says otherwise: 2 s, 128 KiB, 4 for each core, 20,000 tokens. */
export const defaultCallSettings: CallSettings = {
  graceMs: defaultGraceMs,
  keepBytes: defaultKeepBytes,
  concurrency: 4 * navigator.hardwareConcurrency,
  keepAnsi: false,
  maxResultTokens: 20_000,
  softTimeoutMs: 0,
};

/** What every call passes first. One for all that share a session. */
export interface Gate {
  /** Awaited before a call is looked at; nothing where there is nothing to wait for. */
  refresh?: (() => Promise<void> | undefined) | undefined;
  /** Why no call is made. */
  closed?: string | undefined;
}

/** The catalogue, the runners of its calls, and the permits they take. */
export interface CallContext {
  readonly catalog: Catalog;
  /** The catalogue at this moment: not to be kept. */
  readonly index: ToolIndex;
  readonly runners: Runners;
  readonly semaphore: FairSemaphore;
  readonly toolPermits: ToolPermits;
  readonly audit?: AuditLog | undefined;
  readonly gate: Gate;
  /** What an agent reads of tools; compact also shows it how a call that is refused is written. */
  readonly results: ResultFormat;
  readonly maxResultTokens: number;
  /** Keeps what is longer, for `owner` to read; absent, or nothing given: it is not kept. */
  readonly keep?: Keep | undefined;
  /** What lets calls go on behind their answers; absent: all of them are waited for. */
  readonly background?: BackgroundJobs | undefined;
}

/** Keeps a text of `owner`. */
export type Keep = (text: string | FullText, owner: string | undefined) => StoredText | undefined;

/** What a context may have besides its catalogue. */
export interface CallContextOptions {
  readonly runners: Runners;
  /** @default {@linkcode defaultCallSettings}'s */
  readonly concurrency?: number | undefined;
  readonly audit?: AuditLog | undefined;
  /** @default contract */
  readonly results?: ResultFormat | undefined;
  /** @default {@linkcode defaultCallSettings}'s */
  readonly maxResultTokens?: number | undefined;
  readonly keep?: Keep | undefined;
  readonly background?: BackgroundJobs | undefined;
  /** Permits that several contexts share. @default its own */
  readonly queue?: FairSemaphore | undefined;
  readonly toolPermits?: ToolPermits | undefined;
}

/** A context for calls of the tools in `catalog`. */
export function callContext(catalog: Catalog, options: CallContextOptions): CallContext {
  const { concurrency = defaultCallSettings.concurrency, ...given } = options;
  return {
    ...given,
    catalog,
    get index() {
      return catalog.index;
    },
    semaphore: given.queue ?? new FairSemaphore(concurrency),
    toolPermits: given.toolPermits ?? new ToolPermits(),
    gate: {},
    results: given.results ?? "contract",
    maxResultTokens: given.maxResultTokens ?? defaultCallSettings.maxResultTokens,
  };
}

/** A context over a part of the catalogue of another one. */
export interface ScopedContext {
  readonly context: CallContext;
  /** Ends that the part follows the whole. */
  stop(): void;
}

/** Settings of {@linkcode scopedContext}. */
export interface ScopeOptions extends Partial<Pick<CallContext, "background">> {
  /** Makes the part from the whole. */
  readonly make: (index: ToolIndex) => ToolIndex;
}

/** `context` with a part of its catalogue, which follows it. */
export function scopedContext(
  context: CallContext,
  { make, ...own }: ScopeOptions,
): ScopedContext {
  const catalog = Catalog.of(make(context.index));
  const stop = context.catalog.subscribe(() => catalog.replace(make(context.index)));
  const scoped = {
    ...context,
    ...own,
    catalog,
    get index() {
      return catalog.index;
    },
  };
  return { context: scoped, stop };
}

/** What carries out the calls of `tool`. */
export function runnerOf({ runners }: Pick<CallContext, "runners">, { source }: Tool): Runner {
  const runner = runners.get(source.kind);
  if (runner === undefined) throw new Error(`No runner for sources of kind '${source.kind}'`);
  return runner;
}
