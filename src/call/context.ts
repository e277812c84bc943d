/** What every call of a session shares. */

import type { ToolIndex } from "../catalog/tool_index.ts";
import type { Executor } from "../exec/executor.ts";
import { RunQueue } from "./queue.ts";
import type { AuditLog } from "./audit.ts";
import { defaultGraceMs, defaultKeepBytes } from "../exec/run.ts";

/** Settings of the calls of a session. */
export interface CallSettings {
  /** Milliseconds between asking a process tree to end and making it. */
  readonly graceMs: number;
  /** Bytes kept of the beginning, and as many of the end, of each output stream. */
  readonly keepBytes: number;
  /** Programs that run at once. */
  readonly concurrency: number;
  /** Whether results keep terminal control sequences. */
  readonly keepAnsi: boolean;
}

/** The settings when nobody says otherwise. */
export const defaultCallSettings: CallSettings = {
  graceMs: defaultGraceMs,
  keepBytes: defaultKeepBytes,
  concurrency: 4 * navigator.hardwareConcurrency,
  keepAnsi: false,
};

/** The catalogue, the settings and the places to run in. */
export interface CallContext {
  readonly index: ToolIndex;
  readonly executor: Executor;
  readonly settings: CallSettings;
  readonly queue: RunQueue;
  /** Queues of the tools that may not run as often as there are places, by name. */
  readonly toolQueues: ReadonlyMap<string, RunQueue>;
  readonly audit?: AuditLog;
}

/** What a context may have besides its catalogue. */
export interface CallContextOptions {
  readonly settings?: Partial<CallSettings>;
  /** @default local */
  readonly executor?: Executor;
  readonly audit?: AuditLog;
}

/** A context for calls of the tools in `index`. */
export function callContext(index: ToolIndex, options: CallContextOptions = {}): CallContext {
  const { executor = { kind: "local" }, audit } = options;
  const settings = { ...defaultCallSettings, ...options.settings };
  const bounded = index.tools.filter((tool) => tool.concurrency !== undefined);
  return {
    index,
    executor,
    settings,
    queue: new RunQueue(settings.concurrency),
    toolQueues: new Map(bounded.map((tool) => [tool.name, new RunQueue(tool.concurrency!)])),
    ...(audit === undefined ? {} : { audit }),
  };
}
