/** What every call of a session shares. */

import type { ResultFormat } from "../catalog/compact.ts";
import type { ToolIndex } from "../catalog/tool_index.ts";
import type { Runner, Runners } from "../tool/runner.ts";
import type { Uncut } from "../tool/result.ts";
import type { Tool } from "../tool/tool.ts";
import type { AuditLog } from "./audit.ts";
import type { GoingOn } from "./going_on.ts";
import { defaultGraceMs, defaultKeepBytes } from "../exec/run.ts";
import type { Kept } from "./bound.ts";
import { RunQueue } from "./queue.ts";

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

/** The catalogue, what carries out its calls, and the places to run in. */
export interface CallContext {
  /** Another one whenever the catalogue changes, see {@linkcode exchangeIndex}: not to be kept. */
  readonly index: ToolIndex;
  readonly runners: Runners;
  readonly queue: RunQueue;
  /** Queues of the tools that may not run as often as there are places, by name. */
  readonly toolQueues: ReadonlyMap<string, RunQueue>;
  readonly audit?: AuditLog | undefined;
  readonly gate: Gate;
  /** What an agent reads of tools; compact also shows it how a call that is refused is written. */
  readonly results: ResultFormat;
  readonly maxResultTokens: number;
  /** Keeps what is longer, for `owner` to read; absent, or nothing given: it is not kept. */
  readonly keep?: Keep | undefined;
  /** What lets calls go on behind their answers; absent: all of them are waited for. */
  readonly goingOn?: GoingOn | undefined;
  /** Called when `index` is another one. */
  readonly listeners: Set<() => void>;
}

/** Keeps a text of `owner`. */
export type Keep = (text: string | Uncut, owner: string | undefined) => Kept | undefined;

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
  readonly goingOn?: GoingOn | undefined;
}

/** A context for calls of the tools in `index`. */
export function callContext(index: ToolIndex, options: CallContextOptions): CallContext {
  const { concurrency = defaultCallSettings.concurrency, ...given } = options;
  return {
    ...given,
    index,
    queue: new RunQueue(concurrency),
    toolQueues: queuesFor(index),
    listeners: new Set(),
    gate: {},
    results: given.results ?? "contract",
    maxResultTokens: given.maxResultTokens ?? defaultCallSettings.maxResultTokens,
  };
}

/**
 * Puts `index` in the place of the one that `context` has, as a whole, and tells whoever listens. Calls
 * that have begun keep the tool and the places they began with.
 */
export function exchangeIndex(context: CallContext, index: ToolIndex): void {
  const toolQueues = queuesFor(index, context);
  Object.assign(context, { index, toolQueues });
  for (const listener of context.listeners) listener();
}

/** A context over the catalogue of another one. */
export interface PartOfContext {
  readonly part: CallContext;
  /** Has it stay as it is. */
  stop(): void;
}

/** What is particular to a part of a context. */
export interface PartOptions extends Partial<Pick<CallContext, "goingOn">> {
  /** What it has of a catalogue. */
  readonly make: (index: ToolIndex) => ToolIndex;
}

/** `context` with a part of its catalogue, and of every one that it is exchanged for. */
export function partOf(context: CallContext, { make, ...own }: PartOptions): PartOfContext {
  const index = make(context.index);
  const part: CallContext = { ...context, ...own, index, listeners: new Set() };
  const stop = onIndexChange(context, () => {
    const { index, toolQueues } = context;
    Object.assign(part, { index: make(index), toolQueues });
    for (const listener of part.listeners) listener();
  });
  return { part, stop };
}

/** Calls `listener` whenever `context` has another index; returns how to stop that. */
export function onIndexChange({ listeners }: CallContext, listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Queues of the tools that need one; a tool that is bounded as before keeps its own. */
function queuesFor(index: ToolIndex, before?: CallContext): CallContext["toolQueues"] {
  return new Map(index.tools.flatMap(({ name, concurrency }) => {
    if (concurrency === undefined) return [];
    const isAsBefore = before?.index.get(name)?.concurrency === concurrency;
    const queue = isAsBefore ? before?.toolQueues.get(name) : undefined;
    return [[name, queue ?? new RunQueue(concurrency)] as const];
  }));
}

/** What carries out the calls of `tool`. */
export function runnerOf({ runners }: Pick<CallContext, "runners">, { source }: Tool): Runner {
  const runner = runners.get(source.kind);
  if (runner === undefined) throw new Error(`No runner for sources of kind '${source.kind}'`);
  return runner;
}
