/**
 * One upstream server over all of its connections: connects on first use, one connection at a time, reconnects after
 * an end, and backs off after repeated failures.
 */

import { type Clock, systemClock } from "../../async/clock.ts";
import type { CallToolResult, Result, Tool as ToolDefinition } from "@modelcontextprotocol/client";
import { abortable } from "../../async/deadline.ts";
import type { Environment } from "../../files/expand.ts";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import { firstBackoffMs, maxBackoffMs, maxDescriptionLength } from "./_bounds.ts";
import type { Listing } from "./cache.ts";
import type { ConnectOptions, UpstreamConnection } from "./connection.ts";
import { type Definition, DefinitionReader } from "./definition.ts";
import { listFeatures } from "./_list_features.ts";
import { listPages } from "./_list_pages.ts";
import { excerpt } from "../../text/excerpt.ts";
import type { LogMessage } from "../../tool/runner.ts";
import { LogMessages } from "./_log_messages.ts";
import { SchemaPatterns } from "./_schema_patterns.ts";
import { Subscriptions } from "./subscriptions.ts";
import { RunningCalls, type UpstreamRequest } from "./_running_calls.ts";
import { errorOf, UpstreamError, withoutValues } from "./error.ts";
import { expandTransport, type ServerSpec, variablesOf } from "./spec.ts";

/** A call of a tool. */
export interface UpstreamCall extends Omit<UpstreamRequest, "subject" | "send"> {
  /** The name is that of the server. */
  readonly definition: Pick<Definition, "name" | "inputSchema">;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface UpstreamServerOptions {
  readonly environment: Environment;
  readonly prior?: ConnectOptions["prior"];
  /** Called when the server reports changed tools. */
  readonly onListChanged?: () => void;
  /** Called with a log message that belongs to no call. */
  readonly onLog?: (message: LogMessage) => void;
  /** For the timeouts of calls and the delays of connects. @default {@linkcode systemClock} */
  readonly clock?: Clock;
}

export class UpstreamServer {
  readonly spec: ServerSpec;
  /** Shared by all listings of the server. */
  readonly patterns = new SchemaPatterns();
  readonly #options: UpstreamServerOptions;
  readonly #closing = new AbortController();
  readonly #clock: Clock;
  readonly #calls: RunningCalls;
  readonly #subscriptions: Subscriptions;
  readonly #logs: LogMessages;
  #prior: ConnectOptions["prior"];
  #connection: Promise<UpstreamConnection> | undefined;
  /** The end of the last connection, which the next one waits for. */
  #ending: Promise<void> = Promise.resolve();
  /** Values of the variables of the transport, which messages must not have. */
  #variables: ReadonlyMap<string, string> = new Map();
  #failures = 0;
  #lastFailure = "";
  #notBefore = 0;

  constructor(spec: ServerSpec, options: UpstreamServerOptions) {
    this.spec = spec;
    this.#options = options;
    this.#prior = options.prior;
    this.#clock = options.clock ?? systemClock;
    this.#calls = new RunningCalls(spec.name, this.#clock);
    this.#subscriptions = new Subscriptions(spec.name, this.#clock);
    this.#logs = new LogMessages(spec.name, this.#clock);
  }

  /** @throws {UpstreamError} */
  async list(): Promise<Listing> {
    const connection = await this.#connect();
    try {
      const reader = new DefinitionReader();
      const { signal } = this.#closing;
      const { client } = connection;
      const onPage = (tools: readonly unknown[]) => reader.add(tools);
      const rest = client.getServerCapabilities()?.tools === undefined
        ? undefined
        : await listPages(client, { method: "tools/list", key: "tools", onPage }, signal);
      const { description = "" } = client.getServerVersion() ?? {};
      const { definitions, doubts } = reader.result(rest);
      const features = await listFeatures(client, signal);
      return {
        definitions,
        doubts: [...doubts, ...features.doubts],
        features: features.listing,
        description: excerpt(description, maxDescriptionLength),
        prior: connection.prior,
      };
    } catch (error) {
      throw this.#error("unreachable", `does not list its tools: ${messageOf(error)}`);
    }
  }

  /** @throws {UpstreamError} */
  async call({ definition, args, ...rest }: UpstreamCall): Promise<CallToolResult> {
    const { name } = definition;
    const toolDefinition = definition as ToolDefinition;
    return await this.request<CallToolResult>({
      ...rest,
      subject: `Tool '${name}'`,
      send: (client, options, responses) => {
        return client.callTool({ name, arguments: args, ...responses }, {
          ...options,
          toolDefinition,
        });
      },
    });
  }

  /** Sends a request that takes as long as a call. @throws {UpstreamError} */
  async request<Reply extends Result>(call: UpstreamRequest<Reply>): Promise<Reply> {
    try {
      const connection = await this.#connect(call.signal);
      const result = await this.#calls.run(connection.client, call);
      this.#failures = 0;
      return result;
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      throw new UpstreamError(withoutValues(error.message, this.#variables), error.kind);
    }
  }

  /** Calls `onUpdate` when the resource at `uri` changes. Returns a function that stops this. @throws {UpstreamError} */
  async subscribe(uri: string, onUpdate: () => void): Promise<(() => void) | undefined> {
    await this.#connect();
    return await this.#subscriptions.add(uri, onUpdate);
  }

  #onLog(params: unknown): void {
    const message = this.#logs.read(params);
    if (message === undefined || this.#calls.onLog(message)) return;
    this.#options.onLog?.(message);
  }

  /** Ends the connection and its processes. */
  async close(forceSignal?: AbortSignal): Promise<void> {
    this.#closing.abort(new Error("climax is ending"));
    const connection = await this.#connection?.catch(() => undefined);
    await Promise.all([connection?.close(forceSignal), this.#ending]);
  }

  async #connect(signal?: AbortSignal): Promise<UpstreamConnection> {
    if (this.#closing.signal.aborted) {
      throw this.#error("unreachable", "is not connected any more: climax is ending");
    }
    const opening = this.#connection ?? this.#begin();
    if (signal === undefined) return opening;
    // One caller's abort must not close the shared connection
    const connection = await abortable(opening, signal);
    if (connection === "aborted") throw new UpstreamError("Call was cancelled", "cancelled");
    return connection;
  }

  /** The connection is stored while it is opened and open; a failure is not. */
  #begin(): Promise<UpstreamConnection> {
    const opening = this.#open();
    this.#connection = opening;
    // Not within `open`, which may throw before its promise is stored
    opening.catch(() => {
      if (this.#connection === opening) this.#connection = undefined;
    });
    return opening;
  }

  async #open(): Promise<UpstreamConnection> {
    const waitMs = this.#notBefore - this.#clock.now();
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000);
      throw this.#error(
        "unreachable",
        `failed ${this.#failures} times and is tried again in ${seconds} s: ${this.#lastFailure}`,
      );
    }
    await this.#ending;
    return await this.#openOnce();
  }

  async #openOnce(): Promise<UpstreamConnection> {
    const { name, transport } = this.spec;
    const expanded = expandTransport(transport, this.#options.environment);
    if (!expanded.ok) {
      const names = expanded.unset.map((variable) => `$${variable}`).join(", ");
      throw this.#error("unreachable", `needs a variable that is not set: ${names}`);
    }
    this.#variables = new Map(
      variablesOf(transport).map((variable) => {
        return [variable, this.#options.environment(variable) ?? ""];
      }),
    );
    log("info", `server '${name}': connecting`);
    // The client takes a third of the time of a start, which a start from the cache saves
    const { UpstreamConnection } = await import("./connection.ts");
    try {
      const connection: UpstreamConnection = await UpstreamConnection.open(
        this.spec,
        expanded.value,
        {
          prior: this.#prior,
          signal: this.#closing.signal,
          onEnd: (reason) => this.#onEnd(connection, reason),
          onListChanged: () => this.#options.onListChanged?.(),
          onElicit: (params) => this.#calls.onElicit(params),
          onResourceUpdated: (uri) => this.#subscriptions.onUpdated(uri),
          onLog: (params) => this.#onLog(params),
        },
      );
      this.#prior = connection.prior;
      void this.#subscriptions.resume(connection);
      return connection;
    } catch (error) {
      // The detected protocol may have been wrong
      this.#prior = undefined;
      this.#countFailure(withoutValues(messageOf(error), this.#variables));
      throw this.#error("unreachable", `cannot be connected: ${messageOf(error)}`);
    }
  }

  #onEnd(connection: UpstreamConnection, cause: string): void {
    const reason = withoutValues(cause, this.#variables);
    this.#connection = undefined;
    this.#countFailure(reason);
    this.#ending = connection.close();
    const error = this.#error("ended", `ended while the call was running: ${reason}`);
    this.#calls.failAll(error);
    log("warning", `server '${this.spec.name}': ${reason}`);
  }

  /** The first retry is immediate, later ones are delayed more and more. */
  #countFailure(reason: string): void {
    this.#failures++;
    this.#lastFailure = reason;
    if (this.#failures < 2) return;
    this.#notBefore = this.#clock.now() +
      Math.min(firstBackoffMs * 2 ** (this.#failures - 2), maxBackoffMs);
  }

  #error(kind: UpstreamError["kind"], text: string): UpstreamError {
    return errorOf(this.spec.name, kind, withoutValues(text, this.#variables));
  }
}
