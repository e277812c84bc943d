/**
 * One MCP server over all of its connections: connected on first need, once at a time, again after it
 * died, and later and later when it keeps dying.
 */

import type { CallToolResult, ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/client";
import type { Environment } from "../../document/expand.ts";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import type { Answer, PlanOptions, Question } from "../../tool/runner.ts";
import { firstBackoffMs, maxBackoffMs, maxCallMs, maxInFlight, maxQuestions } from "./_bounds.ts";
import type { Listing } from "./cache.ts";
import { Connection, type ConnectOptions } from "./connection.ts";
import { type Definition, readDefinitions } from "./definition.ts";
import { Patience } from "./_patience.ts";
import { questionOf, withResponses } from "./_questions.ts";
import { expandTransport, type ServerSpec } from "./spec.ts";

/** Why a server did not do what it was asked, in words for the agent. */
export class UpstreamError extends Error {
  /** `kind` is what the audit log has of it. */
  constructor(
    message: string,
    readonly kind: "unreachable" | "ended" | "timed out" | "cancelled" | "refused",
  ) {
    super(message);
  }
}

/** Settings of {@linkcode UpstreamServer}. */
export interface UpstreamServerOptions {
  readonly environment: Environment;
  readonly prior?: ConnectOptions["prior"];
  /** Told when the server says that its tools have changed. */
  readonly onListChanged?: () => void;
}

/** What a call is made with. */
export interface UpstreamCall extends Pick<PlanOptions, "signal" | "ask" | "person"> {
  /** The tool, by the server's own name for it, and its input schema. */
  readonly definition: Pick<Definition, "name" | "inputSchema">;
  readonly args: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  readonly onProgress?: (news: { progress: number; total?: number; message?: string }) => void;
}

/** A call that has no answer yet. */
interface InFlight extends Pick<PlanOptions, "ask" | "person"> {
  readonly patience: Patience;
  readonly fail: (error: UpstreamError) => void;
  questions: number;
}

/** One server. */
export class UpstreamServer {
  readonly spec: ServerSpec;
  readonly #options: UpstreamServerOptions;
  readonly #closing = new AbortController();
  readonly #inFlight = new Set<InFlight>();
  #prior: ConnectOptions["prior"];
  #connection: Promise<Connection> | undefined;
  /** Connections that are being ended: another is not made before they are. */
  #ending: Promise<void> = Promise.resolve();
  #failures = 0;
  #lastFailure = "";
  #notBefore = 0;

  constructor(spec: ServerSpec, options: UpstreamServerOptions) {
    this.spec = spec;
    this.#options = options;
    this.#prior = options.prior;
  }

  /** What the server has to say of itself. @throws {UpstreamError} */
  async list(): Promise<Listing & { readonly doubts: readonly string[] }> {
    const connection = await this.#connect();
    try {
      const listed = await connection.list(this.#closing.signal);
      const { description = "" } = connection.client.getServerVersion() ?? {};
      return { ...readDefinitions(listed), description, prior: connection.prior };
    } catch (error) {
      throw this.#error("unreachable", `does not list its tools: ${messageOf(error)}`);
    }
  }

  /** Carries out one call. @throws {UpstreamError} */
  async call(call: UpstreamCall): Promise<CallToolResult> {
    if (this.#inFlight.size >= maxInFlight) {
      throw this.#error("refused", `has ${maxInFlight} calls running already, try again later`);
    }
    const connection = await this.#connect(call.signal);
    const stop = new AbortController();
    const failed = Promise.withResolvers<never>();
    const fail = (error: UpstreamError): void => {
      failed.reject(error);
      stop.abort(error.message);
    };
    const onAbort = () => fail(new UpstreamError("Call was cancelled", "cancelled"));
    const { definition: { name }, timeoutMs, ask, person } = call;
    const patience = new Patience(timeoutMs, maxCallMs, (reason) => {
      fail(
        new UpstreamError(`Tool '${name}' of server '${this.spec.name}' ${reason}`, "timed out"),
      );
    });
    const inFlight: InFlight = { patience, fail, ask, person, questions: 0 };
    if (call.signal?.aborted) onAbort();
    call.signal?.addEventListener("abort", onAbort, { once: true });
    this.#inFlight.add(inFlight);
    try {
      const answered = this.#converse(connection, call, inFlight, stop.signal);
      return await Promise.race([answered, failed.promise]);
    } catch (error) {
      if (error instanceof UpstreamError) throw error;
      // What the server itself refuses is its answer; a connection that went away says so by `fail`
      if (error instanceof ProtocolError) throw this.#error("refused", `refused: ${error.message}`);
      throw this.#error("ended", `gave no answer: ${messageOf(error)}`);
    } finally {
      patience.stop();
      this.#inFlight.delete(inFlight);
      call.signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Ends the connection and whatever was started for it; resolves when that is gone. */
  async close(hurry?: AbortSignal): Promise<void> {
    this.#closing.abort(new Error("climax is ending"));
    const connection = await this.#connection?.catch(() => undefined);
    await Promise.all([connection?.close(hurry), this.#ending]);
  }

  /** The answer to a call, with as many questions to the person in between as it takes. */
  async #converse(
    { client }: Connection,
    { definition, args, onProgress }: UpstreamCall,
    inFlight: InFlight,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    let params: Parameters<typeof client.callTool>[0] = { name: definition.name, arguments: args };
    for (let round = 0; round <= maxQuestions; round++) {
      const result = await client.callTool(params, {
        signal,
        // Ours counts
        timeout: 2 ** 31 - 1,
        allowInputRequired: true,
        toolDefinition: { name: definition.name, inputSchema: definition.inputSchema },
        onprogress: (news) => {
          inFlight.patience.news();
          onProgress?.(news as Parameters<NonNullable<typeof onProgress>>[0]);
        },
      });
      this.#failures = 0;
      const asked = questionOf(result);
      if (asked === undefined) return result;
      if ("unknown" in asked) {
        throw this.#error("refused", `asks for ${asked.unknown}, which climax does not offer`);
      }
      const answers = new Map<string, Answer>();
      for (const [key, question] of asked.questions) {
        answers.set(key, await this.#ask(inFlight, [inFlight], question));
      }
      params = withResponses({ name: definition.name, arguments: args }, asked, answers);
    }
    throw this.#error("refused", `has asked ${maxQuestions} times and still has no answer`);
  }

  /** A question that came by itself, as before 2026-07-28: it does not say to which call it belongs. */
  async #onElicit(params: ElicitRequest["params"]): Promise<ElicitResult> {
    const waiting = [...this.#inFlight];
    const [latest] = waiting.toReversed();
    const isSure = new Set(waiting.map(({ person }) => person)).size === 1 &&
      (waiting.length === 1 || latest?.person !== undefined);
    try {
      if (latest === undefined) {
        throw this.#error("refused", "asks the person while nothing is called");
      }
      if (!isSure) {
        throw this.#error("refused", "asks the person while calls of several clients are running");
      }
      const question: Question = params.mode === "url"
        ? { mode: "url", message: params.message, url: params.url }
        : { mode: "form", message: params.message, requestedSchema: params.requestedSchema };
      const answer = await this.#ask(latest, waiting, question);
      return answer as ElicitResult;
    } catch (error) {
      log("warning", messageOf(error));
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, messageOf(error));
    }
  }

  /** Asks the person of one call, while the clocks of `waiting` stand. */
  async #ask(
    inFlight: InFlight,
    waiting: readonly InFlight[],
    question: Question,
  ): Promise<Exclude<Answer, { action: "unasked" }>> {
    const why = (reason: string) =>
      this.#error("refused", `wants to ask the person ('${question.message}'), but ${reason}`);
    if (inFlight.ask === undefined) throw why("this client cannot be asked");
    if (++inFlight.questions > maxQuestions) {
      throw why(`it has asked ${maxQuestions} times already`);
    }
    for (const { patience } of waiting) patience.pause();
    const message = `Server '${this.spec.name}' asks: ${question.message}`;
    const answer = await inFlight.ask({ ...question, message }).finally(() => {
      for (const { patience } of waiting) patience.resume();
    });
    if (answer.action === "unasked") throw why(answer.reason);
    return answer;
  }

  #connect(signal?: AbortSignal): Promise<Connection> {
    if (this.#closing.signal.aborted) {
      return Promise.reject(
        this.#error("unreachable", "is not connected any more: climax is ending"),
      );
    }
    this.#connection ??= this.#open();
    if (signal === undefined) return this.#connection;
    // Who goes away does not take the connection with him
    const cancelled = Promise.withResolvers<never>();
    const onAbort = () => cancelled.reject(new UpstreamError("Call was cancelled", "cancelled"));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    return Promise.race([this.#connection, cancelled.promise])
      .finally(() => signal.removeEventListener("abort", onAbort));
  }

  async #open(): Promise<Connection> {
    try {
      const waitMs = this.#notBefore - Date.now();
      if (waitMs > 0) {
        const seconds = Math.ceil(waitMs / 1000);
        throw this.#error(
          "unreachable",
          `failed ${this.#failures} times and is tried again in ${seconds} s: ${this.#lastFailure}`,
        );
      }
      await this.#ending;
      return await this.#openOnce();
    } catch (error) {
      this.#connection = undefined;
      throw error;
    }
  }

  async #openOnce(): Promise<Connection> {
    const { name, transport } = this.spec;
    const expanded = expandTransport(transport, this.#options.environment);
    if (!expanded.ok) {
      const names = expanded.unset.map((variable) => `$${variable}`).join(", ");
      throw this.#error("unreachable", `needs a variable that is not set: ${names}`);
    }
    log("info", `server '${name}': connecting`);
    try {
      const connection: Connection = await Connection.open(this.spec, expanded.value, {
        prior: this.#prior,
        signal: this.#closing.signal,
        onEnd: (reason) => this.#onEnd(connection, reason),
        onListChanged: () => this.#options.onListChanged?.(),
        onElicit: (params) => this.#onElicit(params),
      });
      this.#prior = connection.prior;
      return connection;
    } catch (error) {
      // What was known of its protocol may have been wrong
      this.#prior = undefined;
      this.#countFailure(messageOf(error));
      throw this.#error("unreachable", `cannot be connected: ${messageOf(error)}`);
    }
  }

  #onEnd(connection: Connection, reason: string): void {
    this.#connection = undefined;
    this.#countFailure(reason);
    this.#ending = connection.close();
    const error = this.#error("ended", `ended while the call was running: ${reason}`);
    for (const { fail } of this.#inFlight) fail(error);
    log("warning", `server '${this.spec.name}': ${reason}`);
  }

  /** The first try after a failure comes at once, the others later and later. */
  #countFailure(reason: string): void {
    this.#failures++;
    this.#lastFailure = reason;
    if (this.#failures < 2) return;
    this.#notBefore = Date.now() +
      Math.min(firstBackoffMs * 2 ** (this.#failures - 2), maxBackoffMs);
  }

  #error(kind: UpstreamError["kind"], text: string): UpstreamError {
    return new UpstreamError(`Server '${this.spec.name}' ${text}`, kind);
  }
}
