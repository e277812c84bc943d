/**
 * One upstream server over all of its connections: connects on first use, one connection at a time, reconnects after
 * an end, and backs off after repeated failures.
 */

import { type Clock, systemClock } from "../../async/clock.ts";
import type { CallToolResult, Result } from "@modelcontextprotocol/client";
import { abortable } from "../../async/deadline.ts";
import type { Environment } from "../../files/expand.ts";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import { firstBackoffMs, maxBackoffMs } from "./_bounds.ts";
import type { Listing } from "./cache.ts";
import type { ConnectOptions, UpstreamConnection } from "./connection.ts";
import { readListing } from "./_read_listing.ts";
import { toolRequest, type UpstreamCall } from "./_tool_request.ts";
import type { LogMessage } from "../../tool/runner.ts";
import { LogMessages } from "./_log_messages.ts";
import { SchemaPatterns } from "./_schema_patterns.ts";
import { Subscriptions } from "./subscriptions.ts";
import { RunningCalls, type UpstreamRequest } from "./_running_calls.ts";
import { errorOf, UpstreamError, withoutValues } from "./error.ts";
import type { Login } from "./login/login.ts";
import { loginNeededIn } from "./login/needed.ts";
import { expandTransport, type ServerSpec, variablesOf } from "./spec.ts";

export interface UpstreamServerOptions {
  readonly environment: Environment;
  readonly prior?: ConnectOptions["prior"];
  /** Whose requests they are; absent: the server takes no login. */
  readonly login?: Login | undefined;
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
      return await readListing(connection, this.#closing.signal);
    } catch (error) {
      const needed = loginNeededIn(error);
      if (needed !== undefined) throw new UpstreamError(needed.message, "needs a login");
      throw this.#error("unreachable", `does not list its tools: ${messageOf(error)}`);
    }
  }

  /** @throws {UpstreamError} */
  async call(call: UpstreamCall): Promise<CallToolResult> {
    return await this.request(toolRequest(call));
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
      throw new UpstreamError(this.#masked(error.message), error.kind);
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

  /** True when no call is running. */
  get isIdle(): boolean {
    return this.#calls.size === 0;
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
          login: this.#options.login,
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
      const needed = loginNeededIn(error);
      if (needed !== undefined) throw new UpstreamError(needed.message, "needs a login");
      // The detected protocol may have been wrong
      this.#prior = undefined;
      this.#countFailure(this.#masked(messageOf(error)));
      throw this.#error("unreachable", `cannot be connected: ${messageOf(error)}`);
    }
  }

  #onEnd(connection: UpstreamConnection, cause: string): void {
    const reason = this.#masked(cause);
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
    return errorOf(this.spec.name, kind, this.#masked(text));
  }

  #masked(text: string): string {
    const own = withoutValues(text, this.#variables);
    return this.#options.login?.masked(own) ?? own;
  }
}
