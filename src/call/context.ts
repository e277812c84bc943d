/** What every call of a session shares. */

import type { ToolIndex } from "../catalog/tool_index.ts";
import { RunQueue } from "../exec/run_queue.ts";
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
  readonly settings: CallSettings;
  readonly queue: RunQueue;
}

/** A context for calls of the tools in `index`. */
export function callContext(index: ToolIndex, settings: Partial<CallSettings> = {}): CallContext {
  const all = { ...defaultCallSettings, ...settings };
  return { index, settings: all, queue: new RunQueue(all.concurrency) };
}
