/** An MCP client's view of the catalogue: a list of tools, and a handler of calls. */

import { call } from "../call/call.ts";
import type { CallOptions } from "../call/pipeline.ts";
import type { CallContext } from "../call/context.ts";
import { hasJobs } from "../call/background.ts";
import type { ToolIndex } from "../catalog/tool_index.ts";
import type { CallResult } from "../tool/result.ts";
import type { Annotations, Icon } from "../tool/tool.ts";

/** A tool as `tools/list` shows it, field names as in MCP 2026-07-28. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly outputSchema?: object;
  readonly annotations?: Annotations;
  readonly title?: string;
  readonly icons?: readonly Icon[];
  /** Fields for particular clients beyond the protocol; no model sees them. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** One way to show the catalogue. */
export interface Surface {
  /** Every tool, in the order they are shown. */
  list(): readonly ListedTool[];
  /** Calls the tool that `list` shows as `name`. Refusals are results, not exceptions. */
  call(name: string, args: unknown, options: CallOptions): Promise<CallResult>;
  /** Calls a tool of the catalogue, whether or not `list` shows it by its name. */
  callTool(name: string, args: unknown, options: CallOptions): Promise<CallResult>;
  /** True when calls may continue in the background. */
  readonly hasJobs: boolean;
  /** Instructions for the agent when it connects. */
  readonly instructions: string;
  /** Calls `listener` when the catalogue is another one; returns how to stop that. */
  onChange(listener: () => void): () => void;
}

/** Options of one way to show a catalogue. */
export interface SurfaceOptions {
  readonly instructions: (index: ToolIndex) => string;
  readonly list: (index: ToolIndex) => readonly ListedTool[];
  /** @default tools are called by their own names */
  readonly call?: Surface["call"];
}

/** Sees what a surface is asked for. */
export interface SurfaceObserver {
  /** Called each time the tools are listed. */
  onList?(): void;
  /** Carries out a call by `run`. */
  onCall?(call: ObservedCall, run: () => Promise<CallResult>): Promise<CallResult>;
}

/** A call as a client sent it. */
export interface ObservedCall {
  readonly name: string;
  readonly args: unknown;
  /** Returns whether `name` is a tool of the list. */
  isListed(name: string): boolean;
}

/** The surface that shows the catalogue of `context`, which may be another one later. */
export function surfaceOver(
  context: CallContext,
  showing: SurfaceOptions,
  observers: readonly SurfaceObserver[] = [],
): Surface {
  // Over HTTP every request asks for both
  const instructions = memoizeByIndex(context, showing.instructions);
  const list = memoizeByIndex(context, showing.list);
  const isListed = (name: string) => list().some((tool) => tool.name === name);
  const observed = (carryOut: Surface["call"]): Surface["call"] => {
    return observers.reduce<Surface["call"]>((inner, observer) => {
      if (observer.onCall === undefined) return inner;
      return (name, args, options) => {
        return observer.onCall!({ name, args, isListed }, () => inner(name, args, options));
      };
    }, carryOut);
  };
  const callTool: Surface["callTool"] = (tool, args, options) => {
    return call(context, { tool, args }, options);
  };
  return {
    get instructions() {
      return instructions();
    },
    get hasJobs() {
      return hasJobs(context);
    },
    list() {
      for (const observer of observers) observer.onList?.();
      return list();
    },
    call: observed(showing.call ?? callTool),
    callTool: observed(callTool),
    onChange: (listener) => context.catalog.subscribe(listener),
  };
}

/** Computes a value from the catalogue of `context` once per catalogue. */
function memoizeByIndex<T>(
  context: { readonly index: ToolIndex },
  write: (index: ToolIndex) => T,
): () => T {
  let written: { readonly index: ToolIndex; readonly what: T } | undefined;
  return () => {
    const { index } = context;
    if (written?.index !== index) written = { index, what: write(index) };
    return written.what;
  };
}
