/** One upstream server. Each request connects it if it is not connected, by the rules of `connection_state.ts`. */

import type { CallToolResult, Result } from "@modelcontextprotocol/client";
import { type Clock, systemClock } from "../../async/clock.ts";
import { abortable } from "../../async/deadline.ts";
import { messageOf } from "../../errors.ts";
import type { Environment } from "../../files/expand.ts";
import { log } from "../../log.ts";
import type { UpstreamConnection } from "./connection.ts";
import {
  absenceText,
  type ConnectionEvent,
  type ConnectionState,
  connectTimeoutMs,
  initialState,
  nextState,
  pauseMs,
  retryText,
  SessionDoubt,
} from "./connection_state.ts";
import { errorOf, ownReasonOf, UpstreamError, withoutValues } from "./error.ts";
import { type Listing, readListing } from "./listing.ts";
import { LogReader, Subscriptions } from "./notifications.ts";
import { findLoginNeeded, type Login } from "./login/login.ts";
import { RunningCalls, type UpstreamRequest } from "./_running_calls.ts";
import { describeReach, type ServerSpec, type TransportSpec, variablesOf } from "./spec.ts";
import type { ToolRequest } from "./_tool_calls.ts";

export interface UpstreamServerOptions {
  readonly environment: Environment;
  readonly prior?: Listing["prior"];
  readonly login?: Login | undefined;
  /** True if the server answered in an earlier session, so that its program is installed. @default false */
  readonly wasSeen?: boolean;
  /** Called when the server may have other tools: it reports so, or was lost and is connected again. */
  readonly onListChanged?: () => void;
  readonly clock?: Clock;
}

export class UpstreamServer {
  readonly #isProgram: boolean;
  readonly #clock: Clock;
  readonly #calls: RunningCalls;
  readonly #subscriptions: Subscriptions;
  readonly #logs: LogReader;
  readonly #closing = new AbortController();
  #state: ConnectionState;
  #prior: Listing["prior"];
  #connection: Promise<UpstreamConnection> | undefined;
  #current: UpstreamConnection | undefined;
  #ending: Promise<void> = Promise.resolve();
  /** Values of variables in the command or URL. They may be secret, so messages have the variables' names instead. */
  #variables: ReadonlyMap<string, string> = new Map();
  readonly #requests = new WeakMap<UpstreamConnection, number>();
  readonly #dropped = new Set<UpstreamConnection>();
  readonly #doubt = new SessionDoubt();
  #failure: string | undefined;
  /** True if the connection was lost since the last answer: the server may come back with other tools. */
  #wasLost = false;

  constructor(readonly spec: ServerSpec, private readonly options: UpstreamServerOptions) {
    const { wasSeen = false, clock = systemClock } = options;
    this.#isProgram = spec.transport.kind === "stdio";
    this.#clock = clock;
    this.#prior = options.prior;
    this.#state = initialState(wasSeen);
    this.#calls = new RunningCalls(spec.name, clock);
    this.#subscriptions = new Subscriptions(spec.name, clock);
    this.#logs = new LogReader(spec.name, clock);
  }

  get absence(): string {
    const text = absenceText(this.#state, this.#clock.now(), this.#isProgram, this.#failure);
    return `Server '${this.spec.name}' ${this.#maskText(text)}`;
  }

  get mayConnect(): boolean {
    const { phase } = this.#state;
    return phase === "idle" || phase === "paused" && pauseMs(this.#state, this.#clock.now()) === 0;
  }

  get isIdle(): boolean {
    return this.#calls.size === 0;
  }

  /** @throws {UpstreamError} if the server cannot be connected, needs a login or does not list its tools */
  async list(): Promise<Listing> {
    return await this.#request(undefined, async (connection) => {
      this.#failure = undefined;
      try {
        return await readListing(connection, this.#closing.signal);
      } catch (error) {
        this.#failure = messageOf(error);
        const needed = findLoginNeeded(error);
        if (needed !== undefined) throw new UpstreamError(needed.message, "needs a login");
        throw this.#error("unreachable", `does not list its tools: ${messageOf(error)}`, error);
      }
    });
  }

  /** Calls a tool. @throws {UpstreamError} whose text says whether the tool may have run */
  async call(call: UpstreamCall): Promise<CallToolResult> {
    const { definition, args, ...rest } = call;
    return await this.request({
      ...rest,
      subject: `Tool '${definition.name}'`,
      mayChange: true,
      send: (connection, options, responses) => {
        const params = { arguments: args, ...responses };
        return connection.callTool({ definition, params }, options);
      },
    });
  }

  /** Sends a request and waits for its answer as long as for a call of a tool. @throws {UpstreamError} */
  async request<Reply extends Result>(request: UpstreamRequest<Reply>): Promise<Reply> {
    try {
      const run = (connection: UpstreamConnection) => this.#calls.run(connection, request);
      return await this.#request(request.caller.signal, run, request.mayChange);
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      throw new UpstreamError(this.#maskText(error.message), error.kind);
    }
  }

  /** Follows the resource at `uri`. Returns a function that ends that. @throws {UpstreamError} */
  async subscribe(uri: string, onUpdate: () => void, owner?: string): Promise<() => void> {
    await this.#connect();
    return await this.#subscriptions.add(uri, onUpdate, owner);
  }

  /** Ends a server that the configs no longer have. Its running calls fail as cancelled. */
  async remove(): Promise<void> {
    const text =
      `Call was cancelled: server '${this.spec.name}' was removed or changed in its file`;
    this.#calls.failAll(new UpstreamError(text, "cancelled"));
    await this.close();
  }

  async close(forceSignal?: AbortSignal): Promise<void> {
    this.#change({ type: "close" });
    this.#closing.abort(new Error("climax is ending"));
    const connection = await this.#connection?.catch(() => undefined);
    const all = [...this.#dropped, ...(connection === undefined ? [] : [connection])];
    await Promise.all([...all.map((each) => each.close(forceSignal)), this.#ending]);
  }

  #error(kind: UpstreamError["kind"], text: string, cause?: unknown): UpstreamError {
    return errorOf(this.spec.name, kind, this.#maskText(text), cause);
  }

  /** Replaces values of variables in `text` by their names, and tokens by a mask. */
  #maskText(text: string): string {
    const own = withoutValues(text, this.#variables);
    return this.options.login?.maskText(own) ?? own;
  }

  /** Sends a request. If the server has surely not read it, it is sent again over a new connection. */
  async #request<T>(
    signal: AbortSignal | undefined,
    send: (connection: UpstreamConnection) => Promise<T>,
    mayChange = false,
  ): Promise<T> {
    const connection = await this.#connect(signal);
    try {
      return await this.#use(connection, send);
    } catch (error) {
      const cause = error instanceof UpstreamError ? error.cause ?? error : error;
      const doubt = this.#doubt.of(cause, connection.hasSession, mayChange);
      if (doubt !== "none") this.#dropSession(connection, messageOf(cause));
      if (doubt !== "unread") throw error;
      return await this.#use(await this.#connect(signal), send);
    }
  }

  async #use<T>(
    connection: UpstreamConnection,
    send: (connection: UpstreamConnection) => Promise<T>,
  ): Promise<T> {
    this.#requests.set(connection, (this.#requests.get(connection) ?? 0) + 1);
    try {
      const result = await send(connection);
      if (connection === this.#current) this.#change({ type: "answered" });
      this.#doubt.clear();
      if (this.#wasLost) this.options.onListChanged?.();
      this.#wasLost = false;
      return result;
    } catch (error) {
      if (error instanceof UpstreamError && error.kind === "ended") this.#wasLost = true;
      throw error;
    } finally {
      const left = this.#requests.get(connection)! - 1;
      this.#requests.set(connection, left);
      if (left === 0 && this.#dropped.delete(connection)) await connection.close();
    }
  }

  #dropSession(connection: UpstreamConnection, cause: string): void {
    if (connection !== this.#current) return;
    const reason = this.#maskText(cause);
    log("info", `server '${this.spec.name}': it does not know the session any more: ${reason}`);
    this.#forget({ type: "session unknown", reason });
    if (this.#requests.get(connection)) this.#dropped.add(connection);
    else this.#ending = connection.close();
  }

  #change(event: ConnectionEvent): void {
    this.#state = nextState(this.#state, event, this.#clock.now());
  }

  #forget(event: ConnectionEvent): void {
    this.#change(event);
    this.#wasLost = true;
    this.#connection = undefined;
    this.#current = undefined;
    this.#prior = undefined;
  }

  async #connect(signal?: AbortSignal): Promise<UpstreamConnection> {
    if (this.#current !== undefined && !signal?.aborted) return this.#current;
    if (this.#connection === undefined) {
      this.#change({ type: "connect" });
      if (this.#state.phase !== "connecting") throw new UpstreamError(this.absence, "unreachable");
      this.#connection = this.#open();
    }
    // When one caller cancels, the connection stays open for the others
    const connection = await abortable(this.#connection, signal);
    if (connection === "aborted") throw new UpstreamError("Call was cancelled", "cancelled");
    return connection;
  }

  async #open(): Promise<UpstreamConnection> {
    try {
      await this.#ending;
      const { environment } = this.options;
      const { transport } = this.spec;
      const reached = describeReach(transport, environment);
      this.#variables = new Map(
        variablesOf(transport).map((name) => [name, environment(name) ?? ""]),
      );
      const connection = await this.#detectEra(reached);
      this.#prior = connection.prior;
      this.#current = connection;
      this.#change({ type: "opened" });
      void this.#subscriptions.resume(connection);
      return connection;
    } catch (error) {
      const needed = findLoginNeeded(error);
      const reason = this.#maskText(needed?.message ?? messageOf(error));
      if (needed !== undefined) {
        this.#forget({ type: "refused", reason });
        throw new UpstreamError(needed.message, "needs a login");
      }
      this.#forget({ type: "failed", reason: this.#maskText(ownReasonOf(error)) });
      const retry = retryText(this.#state, this.#clock.now());
      throw this.#error("unreachable", `cannot be connected, and ${retry}: ${reason}`, error);
    }
  }

  async #detectEra(reached: TransportSpec): Promise<UpstreamConnection> {
    const { name } = this.spec;
    log("info", `server '${name}': connecting`);
    if (this.#prior?.kind === "legacy") {
      try {
        return await this.#openWith(reached, this.#prior);
      } catch (error) {
        if (this.#closing.signal.aborted) throw error;
        log("info", `server '${name}': the protocol is detected again: ${messageOf(error)}`);
      }
    }
    return await this.#openWith(reached, undefined);
  }

  async #openWith(reached: TransportSpec, prior: Listing["prior"]): Promise<UpstreamConnection> {
    // The SDK's client takes a third of the time of a start to load, and is not needed if all tools are in the cache
    const { UpstreamConnection } = await import("./connection.ts");
    const connection: UpstreamConnection = await UpstreamConnection.open(this.spec, reached, {
      login: this.options.login,
      prior,
      isModern: this.#prior?.kind === "modern",
      timeoutMs: connectTimeoutMs(this.#state, this.#isProgram),
      signal: this.#closing.signal,
      onEnd: (reason) => this.#onEnd(connection, reason),
      onListChanged: () => this.options.onListChanged?.(),
      onElicit: (params) => this.#calls.onElicit(params),
      onResourceUpdated: (uri) => this.#subscriptions.onUpdated(uri),
      onLog: (params) => this.#onLog(params),
    });
    return connection;
  }

  #onLog(params: unknown): void {
    const message = this.#logs.read(params);
    if (message !== undefined) this.#calls.onLog(message);
  }

  #onEnd(connection: UpstreamConnection, cause: string): void {
    const reason = this.#maskText(cause);
    this.#forget({ type: "ended", reason });
    this.#ending = connection.close();
    this.#calls.failAll(this.#error("ended", `ended while the call was running: ${reason}`));
    log("warning", `server '${this.spec.name}': ${reason}`);
  }
}

export interface UpstreamCall extends Pick<UpstreamRequest, "timeoutMs" | "caller"> {
  readonly definition: ToolRequest["definition"];
  readonly args: Readonly<Record<string, unknown>>;
}
