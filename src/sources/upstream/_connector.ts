/** Has at most one connection to a server at a time, and opens the next one as `connection_state.ts` says. */

import type { Clock } from "../../async/clock.ts";
import { abortable } from "../../async/deadline.ts";
import { messageOf } from "../../errors.ts";
import type { Environment } from "../../files/expand.ts";
import { log } from "../../log.ts";
import { noticeMs } from "./_bounds.ts";
import type { ConnectOptions, UpstreamConnection } from "./connection.ts";
import {
  absenceText,
  type ConnectionEvent,
  type ConnectionState,
  connectTimeoutMs,
  initialState,
  nextState,
  pauseMs,
  retryText,
} from "./connection_state.ts";
import { errorOf, ownReasonOf, UpstreamError, withoutValues } from "./error.ts";
import { findLoginNeeded } from "./login/needed.ts";
import {
  describeReach,
  type ServerSpec,
  type StdioSpec,
  type UrlSpec,
  variablesOf,
} from "./spec.ts";

interface ConnectorOptions extends
  Pick<
    ConnectOptions,
    "prior" | "login" | "onListChanged" | "onElicit" | "onResourceUpdated" | "onLog"
  > {
  readonly environment: Environment;
  readonly wasSeen: boolean;
  readonly clock: Clock;
  readonly onOpened: (connection: UpstreamConnection) => void;
  /** Called when the server ends while it is connected. */
  readonly onEnd: (reason: string) => void;
}

export class Connector {
  readonly #spec: ServerSpec;
  readonly #options: ConnectorOptions;
  readonly #closing = new AbortController();
  #state: ConnectionState;
  #prior: ConnectOptions["prior"];
  /** Stored while it is opened and open. */
  #connection: Promise<UpstreamConnection> | undefined;
  /** The same, once it is open. */
  #current: UpstreamConnection | undefined;
  /** The end of the last connection, which the next one waits for. */
  #ending: Promise<void> = Promise.resolve();
  /** Values of the variables of the transport, which messages must not have. */
  #variables: ReadonlyMap<string, string> = new Map();
  readonly #requests = new WeakMap<UpstreamConnection, number>();
  /** Connections that are closed after their last request. */
  readonly #dropped = new Set<UpstreamConnection>();
  /** The server was lost since its last answer: what answers next may be another version, with other tools. */
  #wasLost = false;

  constructor(spec: ServerSpec, options: ConnectorOptions) {
    this.#spec = spec;
    this.#options = options;
    this.#prior = options.prior;
    this.#state = initialState(options.wasSeen);
  }

  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Why the server is not there, and when it is tried again, as the end of a sentence. */
  get absence(): string {
    return this.maskText(absenceText(this.#state, this.#now(), this.#isProgram));
  }

  get mayConnect(): boolean {
    const { phase } = this.#state;
    return phase === "idle" || phase === "paused" && pauseMs(this.#state, this.#now()) === 0;
  }

  /** @throws {UpstreamError} */
  async connect(signal?: AbortSignal): Promise<UpstreamConnection> {
    if (this.#current !== undefined && !signal?.aborted) return this.#current;
    const opening = this.#connection ?? this.#begin();
    if (signal === undefined) return await opening;
    // One caller's abort must not close the shared connection
    const connection = await abortable(opening, signal);
    if (connection === "aborted") throw new UpstreamError("Call was cancelled", "cancelled");
    return connection;
  }

  /** Sends a request over `connection`, which is not closed before its answer. */
  async use<T>(
    connection: UpstreamConnection,
    send: (connection: UpstreamConnection) => Promise<T>,
  ): Promise<T> {
    this.#requests.set(connection, (this.#requests.get(connection) ?? 0) + 1);
    try {
      const result = await send(connection);
      if (connection === this.#current) this.#change({ type: "answered" });
      if (this.#wasLost) this.#options.onListChanged();
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

  /** Uses `connection` no more: the server does not know its session. Running requests are waited for. */
  dropSession(connection: UpstreamConnection, cause: string): void {
    if (connection !== this.#current) return;
    const reason = this.maskText(cause);
    log("info", `server '${this.#spec.name}': it does not know the session any more: ${reason}`);
    this.#forget({ type: "session unknown", reason });
    if (this.#requests.get(connection)) this.#dropped.add(connection);
    else this.#ending = connection.close();
  }

  error(kind: UpstreamError["kind"], text: string, cause?: unknown): UpstreamError {
    return errorOf(this.#spec.name, kind, this.maskText(text), cause);
  }

  /** `text` without the values of variables and without tokens. */
  maskText(text: string): string {
    const own = withoutValues(text, this.#variables);
    return this.#options.login?.maskText(own) ?? own;
  }

  async close(forceSignal?: AbortSignal): Promise<void> {
    this.#change({ type: "close" });
    this.#closing.abort(new Error("climax is ending"));
    const connection = await this.#connection?.catch(() => undefined);
    const all = [...this.#dropped, ...(connection === undefined ? [] : [connection])];
    await Promise.all([...all.map((each) => each.close(forceSignal)), this.#ending]);
  }

  get #isProgram(): boolean {
    return this.#spec.transport.kind === "stdio";
  }

  #now(): number {
    return this.#options.clock.now();
  }

  #change(event: ConnectionEvent): void {
    this.#state = nextState(this.#state, event, this.#now());
  }

  /** The next connection detects the protocol: another version of the server may have taken over. */
  #forget(event: ConnectionEvent): void {
    this.#change(event);
    this.#wasLost = true;
    this.#connection = undefined;
    this.#current = undefined;
    this.#prior = undefined;
  }

  async #begin(): Promise<UpstreamConnection> {
    this.#change({ type: "connect" });
    if (this.#state.phase !== "connecting") throw this.error("unreachable", this.absence);
    return await (this.#connection = this.#open());
  }

  async #open(): Promise<UpstreamConnection> {
    try {
      await this.#ending;
      const { environment } = this.#options;
      const reached = describeReach(this.#spec.transport, environment);
      this.#variables = new Map(
        variablesOf(this.#spec.transport).map((name) => [name, environment(name) ?? ""]),
      );
      const connection = await this.#detectEra(reached);
      this.#prior = connection.prior;
      this.#current = connection;
      this.#change({ type: "opened" });
      this.#options.onOpened(connection);
      return connection;
    } catch (error) {
      const needed = findLoginNeeded(error);
      const reason = this.maskText(needed?.message ?? messageOf(error));
      // A person is waited for, and not the server
      const own = needed === undefined ? this.maskText(ownReasonOf(error)) : reason;
      this.#forget({ type: needed === undefined ? "failed" : "refused", reason: own });
      if (needed !== undefined) throw new UpstreamError(needed.message, "needs a login");
      const retry = retryText(this.#state, this.#now());
      throw this.error("unreachable", `cannot be connected, and ${retry}: ${reason}`, error);
    }
  }

  /** Only an old protocol is taken from memory: the handshake of an old server shows whether it still is one. */
  async #detectEra(reached: StdioSpec | UrlSpec): Promise<UpstreamConnection> {
    const { name } = this.#spec;
    log("info", `server '${name}': connecting`);
    if (this.#prior?.kind === "legacy") {
      try {
        return await this.#openWith(reached, this.#prior);
      } catch (error) {
        if (this.closing.aborted) throw error;
        log("info", `server '${name}': the protocol is detected again: ${messageOf(error)}`);
      }
    }
    return await this.#openWith(reached, undefined);
  }

  async #openWith(
    reached: StdioSpec | UrlSpec,
    prior: ConnectOptions["prior"],
  ): Promise<UpstreamConnection> {
    // The client takes a third of the time of a start, which a start from the cache saves
    const { UpstreamConnection } = await import("./connection.ts");
    const { clock, onEnd: _, ...options } = this.#options;
    const notice = () => log("warning", `Server '${this.#spec.name}' ${this.absence}`);
    const cancel = clock.after(noticeMs, this.#state.wasSeen ? () => {} : notice, { unref: true });
    try {
      const connection: UpstreamConnection = await UpstreamConnection.open(this.#spec, reached, {
        ...options,
        prior,
        isModern: this.#prior?.kind === "modern",
        timeoutMs: connectTimeoutMs(this.#state, this.#isProgram),
        signal: this.closing,
        onEnd: (reason) => this.#onEnd(connection, reason),
      });
      return connection;
    } finally {
      cancel();
    }
  }

  #onEnd(connection: UpstreamConnection, cause: string): void {
    const reason = this.maskText(cause);
    this.#forget({ type: "ended", reason });
    this.#ending = connection.close();
    this.#options.onEnd(reason);
    log("warning", `server '${this.#spec.name}': ${reason}`);
  }
}
