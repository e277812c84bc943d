/** Defines what MCP clients see of the catalogue, and classic mode, in which they call each tool by its name. */

import type { McpServer, ServerCapabilities } from "@modelcontextprotocol/server";
import { call } from "../call/call.ts";
import type { CallOptions } from "../call/pipeline.ts";
import type { CallContext } from "../call/context.ts";
import {
  backgroundAfter,
  hasJobs,
  jobKey,
  schemaOfBackground,
  takesJobKey,
} from "../call/background.ts";
import type { ToolTable } from "../catalog/tool_table.ts";
import { type CallResult, withNotes } from "../tool/result.ts";
import type { ObjectSchema, Tool } from "../tool/tool.ts";
import type { ResourceSubscriptions, StdioSubscriptions } from "./resource_subscriptions.ts";
import type { ClientServing } from "./requests.ts";
import { fitsSchema } from "../tool/check_schema.ts";
import { annotationsOf } from "../tool/annotations.ts";
import { inputSchema } from "../tool/json_schema.ts";
import { classicInstructions } from "./instructions.ts";

export interface ListedTool
  extends Pick<Tool, "name" | "description" | "annotations" | "title" | "icons"> {
  readonly inputSchema: ObjectSchema;
  readonly outputSchema?: object;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export type ConnectionKind = "request" | "connection" | "streams";

export interface FeatureSurface {
  capabilities(connection: ConnectionKind): ServerCapabilities;
  /** Serves prompts and resources. Returns a function that ends the notifications of the client. */
  serve(
    surface: Surface,
    mcp: McpServer,
    serving: ClientServing & { readonly connection: ConnectionKind },
  ): () => void;
  subscriptions(publish: (uri: string) => void): ResourceSubscriptions;
  stdioSubscriptions(publish: (uri: string) => void): StdioSubscriptions;
  onChange(
    listener: (changed: { readonly prompts: boolean; readonly resources: boolean }) => void,
  ): () => void;
}

export interface Surface {
  list(): readonly ListedTool[];
  listFeatures(): readonly Tool[];
  readonly features?: FeatureSurface;
  /** Calls the tool that `list` shows as `name`. A refusal is a result, not an exception. */
  call(name: string, args: unknown, options: CallOptions): Promise<CallResult>;
  /** Calls any tool of the catalogue by its name, even in discovery mode. */
  callTool(name: string, args: unknown, options: CallOptions): Promise<CallResult>;
  readonly hasJobs: boolean;
  readonly instructions: string;
  onChange(listener: () => void): () => void;
}

interface SurfaceOptions extends Pick<Surface, "call"> {
  readonly instructions: (index: ToolTable) => string;
  readonly list: (index: ToolTable) => readonly ListedTool[];
  readonly features: FeatureSurface | undefined;
}

export interface SurfaceObserver {
  onList?(): void;
  /** Observes a call. It must call `run`, which carries out the call, and return the result of `run`. */
  onCall?(call: ObservedCall, run: () => Promise<CallResult>): Promise<CallResult>;
}

interface ObservedCall {
  readonly name: string;
  readonly args: unknown;
  isListed(name: string): boolean;
}

export function surfaceOver(
  context: CallContext,
  { features, ...own }: SurfaceOptions,
  observers: readonly SurfaceObserver[] = [],
): Surface {
  // Each HTTP request needs the instructions and the list of tools, so they are made once for each catalogue
  const instructions = memoizeByIndex(context, own.instructions);
  const list = memoizeByIndex(context, own.list);
  const isListed = (name: string) => list().some((tool) => tool.name === name);
  const observe = (carryOut: Surface["call"]): Surface["call"] => {
    return observers.reduce<Surface["call"]>((inner, observer) => {
      if (observer.onCall === undefined) return inner;
      return (name, args, options) => {
        return observer.onCall!({ name, args, isListed }, () => inner(name, args, options));
      };
    }, carryOut);
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
    call: observe(own.call),
    ...(features && { features }),
    listFeatures() {
      for (const observer of observers) observer.onList?.();
      return context.index.features;
    },
    callTool: observe((tool, args, options) => call(context, { tool, args }, options)),
    onChange: listChanges(context, list),
  };
}

/** Returns hints without which Claude Code writes results of over 50,000 characters or 25,000 tokens to a file. */
export function resultHints(
  { maxResultTokens }: Pick<CallContext, "maxResultTokens">,
): Readonly<Record<string, number>> {
  // If climax has no bound on results (0), the client's own must stay. Claude Code allows 500,000 characters at most
  return maxResultTokens === 0 ? {} : { "anthropic/maxResultSizeChars": 500_000 };
}

function listChanges(
  { catalog }: CallContext,
  list: ReturnType<typeof memoizeByIndex<readonly ListedTool[]>>,
): Surface["onChange"] {
  const listeners = new Set<() => void>();
  let stop = () => {};
  const compare = () => {
    const before = list.last();
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(list())) return;
    for (const listener of listeners) listener();
  };
  return (listener) => {
    if (listeners.size === 0) stop = catalog.subscribe(compare);
    listeners.add(listener);
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) stop();
    };
  };
}

function memoizeByIndex<T>(
  context: { readonly index: ToolTable },
  write: (index: ToolTable) => T,
): (() => T) & { last(): T | undefined } {
  let written: { readonly index: ToolTable; readonly what: T } | undefined;
  const value = () => {
    const { index } = context;
    if (written?.index !== index) written = { index, what: write(index) };
    return written.what;
  };
  return Object.assign(value, { last: () => written?.what });
}

/** Runs `work` once, after the answer to the first request, unless `cancel` is called before. */
export function afterFirstAnswer(work: () => void): SurfaceObserver & { cancel(): void } {
  let isDone = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const soon = () => {
    if (isDone) return;
    isDone = true;
    timer = setTimeout(work, 0);
  };
  return {
    onList: soon,
    onCall: (_, run) => isDone ? run() : run().finally(soon),
    cancel() {
      isDone = true;
      clearTimeout(timer);
    },
  };
}

export function classicSurface(
  context: CallContext,
  observers?: readonly SurfaceObserver[],
  features?: FeatureSurface,
): Surface {
  return surfaceOver(context, {
    instructions: (index) => classicInstructions(index.summary(), index),
    list: (index) => index.tools.map((tool) => listTool(context, tool)),
    call: async (name, args, options) => {
      const tool = context.index.resolve(name);
      const output = tool && schemaOfBackground(context.background, tool);
      const request = { tool: name, args };
      const result = await call(context, request, { ...options, knowsSchema: true });
      const fits = output === undefined || result.isError || result.structuredJson !== undefined ||
        fitsSchema(output, output, result.structured);
      return fits ? result : withoutStructure(result);
    },
    features,
  }, observers);
}

/** Strict clients refuse structured content that does not fit its schema; only an error may lack the content. */
function withoutStructure({ structured: _, ...result }: CallResult): CallResult {
  const text =
    "[This call was carried out. It is an error only because its values do not fit the " +
    "schema that its server gave for them]";
  return withNotes({ ...result, isError: true }, text);
}

function listTool(context: CallContext, tool: Tool): ListedTool {
  const { name, description, title, icons } = tool;
  const output = schemaOfBackground(context.background, tool);
  const annotations = annotationsOf(tool);
  const meta = { ...tool.meta, ...resultHints(context) };
  return {
    name,
    description,
    inputSchema: withJobKey(context, tool),
    ...(output === undefined ? {} : { outputSchema: output }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    ...(title === undefined ? {} : { title }),
    ...(icons === undefined ? {} : { icons }),
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  };
}

function withJobKey({ background }: CallContext, tool: Tool): ObjectSchema {
  const schema = inputSchema(tool);
  const isSlow = (backgroundAfter(background, tool) ?? 0) > 0;
  if (!isSlow || !takesJobKey(background, tool)) return schema;
  const key = { type: "boolean", description: "Return a background job at once" };
  return { ...schema, properties: { ...schema.properties, [jobKey]: key } };
}
