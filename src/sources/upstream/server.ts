/** One upstream server over all of its connections, which open as `connection_state.ts` says. */

import * as z from "zod";
import { type Clock, systemClock } from "../../async/clock.ts";
import type {
  CallToolResult,
  Client,
  Result,
  StandardSchemaV1,
  Tool,
} from "@modelcontextprotocol/client";
import type { Environment } from "../../files/expand.ts";
import { messageOf } from "../../errors.ts";
import type { Listing } from "./cache.ts";
import type { ConnectOptions, UpstreamConnection } from "./connection.ts";
import { Connector } from "./_connector.ts";
import { type LogListeners, LogMessages } from "./_log_messages.ts";
import type { PlainRequests } from "./_plain_requests.ts";
import { RunningCalls, type UpstreamRequest } from "./_running_calls.ts";
import { Subscriptions } from "./subscriptions.ts";
import { UpstreamError } from "./error.ts";
import type { Login } from "./login/login.ts";
import { findLoginNeeded } from "./login/needed.ts";
import type { ServerSpec } from "./spec.ts";
import { isObject } from "../../text/own_property.ts";
import { type Definition, toolReader } from "./definition.ts";
import { excerpt } from "../../text/excerpt.ts";
import { connectMs, listFeaturesMs, maxDescriptionLength, maxPages } from "./_bounds.ts";
import { isTextAnswer } from "../../tool/result.ts";
import { skillsExtension } from "../../tool/feature.ts";
import { type FeatureListing, readLists } from "./feature_definition.ts";

export interface UpstreamServerOptions {
  readonly environment: Environment;
  readonly prior?: ConnectOptions["prior"];
  /** Whose requests they are; absent: the server takes no login. */
  readonly login?: Login | undefined;
  /** True if the server answered in an earlier session: then its program is installed. @default false */
  readonly wasSeen?: boolean;
  /** Called when the server reports changed tools, or may have others after it was connected again. */
  readonly onListChanged?: () => void;
  /** Receive the log messages that belong to no call. */
  readonly logs?: LogListeners;
  /** The authenticated client whose connection it is; absent: that of the person who runs climax. */
  readonly owner?: string;
  readonly clock?: Clock;
}

export class UpstreamServer {
  readonly spec: ServerSpec;
  readonly #calls: RunningCalls;
  readonly #subscriptions: Subscriptions;
  readonly #logs: LogMessages;
  readonly #connector: Connector;

  constructor(spec: ServerSpec, options: UpstreamServerOptions) {
    this.spec = spec;
    const { environment, prior, login, wasSeen = false, onListChanged, clock = systemClock } =
      options;
    const { logs, owner } = options;
    this.#calls = new RunningCalls(spec.name, clock);
    this.#subscriptions = new Subscriptions(spec.name, clock);
    this.#logs = new LogMessages(spec.name, { clock, listeners: logs, owner });
    this.#connector = new Connector(spec, {
      environment,
      prior,
      login,
      wasSeen,
      clock,
      onListChanged: () => onListChanged?.(),
      onElicit: (params) => this.#calls.onElicit(params),
      onResourceUpdated: (uri) => this.#subscriptions.onUpdated(uri),
      onLog: (params) => this.#onLog(params),
      onOpened: (connection) => {
        this.#logs.onOpen(connection);
        void this.#subscriptions.resume(connection);
      },
      onEnd: (reason) => {
        const text = `ended while the call was running: ${reason}`;
        this.#calls.failAll(this.#connector.error("ended", text));
      },
    });
  }

  get absence(): string {
    return `Server '${this.spec.name}' ${this.#connector.absence}`;
  }

  get mayConnect(): boolean {
    return this.#connector.mayConnect;
  }

  /** @throws {UpstreamError} */
  async list(): Promise<Listing> {
    return await this.#request(undefined, async (connection) => {
      try {
        return await readListing(connection, this.#connector.closing);
      } catch (error) {
        const needed = findLoginNeeded(error);
        if (needed !== undefined) throw new UpstreamError(needed.message, "needs a login");
        const text = `does not list its tools: ${messageOf(error)}`;
        throw this.#connector.error("unreachable", text, error);
      }
    });
  }

  /** @throws {UpstreamError} */
  async call(call: UpstreamCall): Promise<CallToolResult> {
    return await this.request(toolRequest(call));
  }

  /** Sends a request that takes as long as a call. @throws {UpstreamError} */
  async request<Reply extends Result>(call: UpstreamRequest<Reply>): Promise<Reply> {
    try {
      return await this.#request(call.caller.signal, ({ client }) => this.#calls.run(client, call));
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      throw new UpstreamError(this.#connector.maskText(error.message), error.kind);
    }
  }

  /** Calls `onUpdate` when the resource at `uri` changes. Returns a function that stops this. @throws {UpstreamError} */
  async subscribe(uri: string, onUpdate: () => void): Promise<(() => void) | undefined> {
    await this.#connector.connect();
    return await this.#subscriptions.add(uri, onUpdate);
  }

  #onLog(params: unknown): void {
    const message = this.#logs.read(params);
    if (message === undefined || this.#calls.onLog(message)) return;
    this.#logs.pass(message);
  }

  get isIdle(): boolean {
    return this.#calls.size === 0;
  }

  /** Ends the calls as cancelled, and then the connection: the server is in no config any more. */
  async remove(): Promise<void> {
    const text =
      `Call was cancelled: server '${this.spec.name}' was removed or changed in its file`;
    this.#calls.failAll(new UpstreamError(text, "cancelled"));
    await this.close();
  }

  async close(forceSignal?: AbortSignal): Promise<void> {
    this.#logs.close();
    await this.#connector.close(forceSignal);
  }

  /** Sends a request; again over a new connection if the server has not read it. */
  async #request<T>(
    signal: AbortSignal | undefined,
    send: (connection: UpstreamConnection) => Promise<T>,
  ): Promise<T> {
    const connection = await this.#connector.connect(signal);
    try {
      return await this.#connector.use(connection, send);
    } catch (error) {
      const cause = error instanceof UpstreamError ? error.cause : error;
      if (!isRefusedUnread(cause)) throw error;
      this.#connector.dropSession(connection, messageOf(cause));
      return await this.#connector.use(await this.#connector.connect(signal), send);
    }
  }
}

/** 404: the session is over (MCP 2025-11-25, session management); the reference server answers 400 after a restart. */
function isRefusedUnread(error: unknown): boolean {
  const { status } = (error ?? {}) as { status?: unknown };
  return status === 404 || status === 400;
}

export interface UpstreamCall extends Omit<UpstreamRequest, "subject" | "send" | "mayChange"> {
  readonly definition: Pick<Definition, "name" | "inputSchema">;
  readonly args: Readonly<Record<string, unknown>>;
}

export function toolRequest(
  { definition, args, ...rest }: UpstreamCall,
): UpstreamRequest<CallToolResult> {
  const { name } = definition;
  return {
    ...rest,
    subject: `Tool '${name}'`,
    mayChange: true,
    send: (client, options, responses) => {
      const params = { name, arguments: args, ...responses };
      const isModern = client.getProtocolEra() === "modern";
      // Only a server of 2025 over stdio
      const { plain } = (client.transport ?? {}) as { readonly plain?: PlainRequests };
      if (!isModern && plain !== undefined) return plain.call(params, answerSchema(false), options);
      // Over HTTP, some arguments are headers too since 2026-07-28, which only `callTool` sends
      if (isModern && client.transport?.hasPerRequestStream) {
        return client.callTool(params, { ...options, toolDefinition: definition as Tool });
      }
      return client.request({ method: "tools/call", params }, answerSchema(isModern), options);
    },
  };
}

/** The form of an answer. Without a schema, the SDK parses each answer twice, and `undefined` before each request. */
export function answerSchema(isModern: boolean): StandardSchemaV1<unknown, CallToolResult> {
  const validate = (value: unknown) =>
    isTextAnswer(value) ? { value: value as CallToolResult } : validateArguments(value, isModern);
  return { "~standard": { version: 1, vendor: "climax", validate } };
}

/** The schema of the SDK is that of all revisions together. */
async function validateArguments(
  value: unknown,
  isModern: boolean,
): Promise<StandardSchemaV1.Result<CallToolResult>> {
  const { content, structuredContent } = isObject(value) ? value : {};
  if (content === undefined) return invalid("content", "expected a list");
  if (!isModern && structuredContent !== undefined && !isObject(structuredContent)) {
    return invalid("structuredContent", "expected an object");
  }
  const { specTypeSchemas } = await import("@modelcontextprotocol/client");
  return await specTypeSchemas.CallToolResult["~standard"].validate(value);
}

function invalid(key: string, message: string): StandardSchemaV1.FailureResult {
  return { issues: [{ message, path: [key] }] };
}

async function readListing(
  { client, prior }: Pick<UpstreamConnection, "client" | "prior">,
  signal: AbortSignal,
): Promise<Listing> {
  const reader = toolReader();
  const onPage = (tools: readonly unknown[]) => reader.add(tools);
  const rest = client.getServerCapabilities()?.tools === undefined
    ? undefined
    : await listPages(client, { method: "tools/list", key: "tools", onPage }, signal);
  const { definitions, warnings } = reader.result(rest);
  const features = await listFeatures(client, signal);
  const { description = "" } = client.getServerVersion() ?? {};
  return {
    definitions,
    warnings: [...warnings, ...features.warnings],
    features: features.listing,
    description: excerpt(description, maxDescriptionLength),
    prior,
  };
}

/** A server that has a capability and lists nothing answers this (JSON-RPC: method not found). */
const methodNotFound = -32601;

async function listFeatures(
  client: Client,
  signal: AbortSignal,
): Promise<{ readonly listing: FeatureListing; readonly warnings: readonly string[] }> {
  const { prompts, resources, completions, extensions } = client.getServerCapabilities() ?? {};
  const [hasPrompts, hasResources] = [prompts !== undefined, resources !== undefined];
  // The extension is one of 2026-07-28
  const hasSkills = client.getProtocolEra() === "modern" && hasResources &&
    extensions?.[skillsExtension] !== undefined;
  const methods = {
    prompts: hasPrompts && { method: "prompts/list", key: "prompts" } as const,
    resources: hasResources && { method: "resources/list", key: "resources" } as const,
    templates: hasResources &&
      { method: "resources/templates/list", key: "resourceTemplates" } as const,
    skills: hasSkills && { method: "skills/list", key: "skills" } as const,
  };
  const warnings: string[] = [];
  // The tools wait for these lists
  const either = AbortSignal.any([signal, AbortSignal.timeout(listFeaturesMs)]);
  const lists = await readLists(async (name, reader, what) => {
    if (methods[name] === false) return [];
    let rest: string | undefined;
    try {
      const onPage = (items: readonly unknown[]) => reader.add(items);
      rest = await listPages(client, { ...methods[name], onPage }, either);
    } catch (error) {
      // An end of the connection is not an answer
      if (signal.aborted) throw error;
      if ((error as { code?: unknown }).code === methodNotFound) return [];
      rest = either.aborted ? `no answer within ${listFeaturesMs / 1000} s` : messageOf(error);
    }
    const read = reader.result(rest, `${what}s`);
    warnings.push(...read.warnings);
    return read.definitions;
  });
  const hasCompletions = completions !== undefined;
  const hasSubscriptions = resources?.subscribe === true;
  const has = { hasSkills, hasPrompts, hasResources, hasCompletions, hasSubscriptions };
  return { listing: { ...lists, ...has }, warnings };
}

interface PagedList {
  readonly method: `${"tools" | "prompts" | "resources" | "resources/templates" | "skills"}/list`;
  readonly key: string;
  readonly onPage: (items: readonly unknown[]) => boolean;
}

const pageSchema = z.looseObject({ nextCursor: z.string().optional() });

/** Passes pages to `onPage` until that returns false. Returns why the list is incomplete, if it is. */
async function listPages(
  client: Client,
  { method, key, onPage }: PagedList,
  signal: AbortSignal,
): Promise<string | undefined> {
  const deadline = AbortSignal.timeout(connectMs);
  const options = { timeout: connectMs, signal: AbortSignal.any([deadline, signal]) };
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    // Without a cursor the SDK would request all pages
    const listed = await client.request(
      { method, params: cursor === undefined ? {} : { cursor } },
      // The schema of the SDK would reject a whole page for one item
      pageSchema,
      options,
    );
    const items = listed[key];
    if (!Array.isArray(items)) throw new Error(`the answer to ${method} has no list '${key}'`);
    const isEnough = !onPage(items);
    if (listed.nextCursor === undefined || seen.has(listed.nextCursor)) return undefined;
    if (isEnough) return "there is no room for it";
    cursor = listed.nextCursor;
    seen.add(cursor);
  }
  return `it has over ${maxPages} pages`;
}
