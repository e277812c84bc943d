/** Keeps the running calls of one server, ends those that take too long, and passes the server's questions on. */

import type { CancelTimer, Clock } from "../../async/clock.ts";
import type {
  ElicitRequest,
  ElicitResult,
  RequestOptions,
  Result,
} from "@modelcontextprotocol/client";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import type { UpstreamConnection } from "./connection.ts";
import type { Answer, Caller, LogMessage, ProgressEvent, Question } from "../../tool/runner.ts";
import { maxCallMs, maxInFlight, maxQuestions } from "./_bounds.ts";
import {
  questionOf,
  questionWords,
  type Responses,
  responsesTo,
  showQuestion,
} from "./_questions.ts";
import { errorOf, failureOf, UpstreamError } from "./error.ts";

export interface UpstreamRequest<Reply extends Result = Result> {
  readonly subject: string;
  readonly send: (
    connection: Connection,
    options: RequestOptions,
    responses: Responses,
  ) => Promise<Reply>;
  /**
   * True if the request may change something, so that its error must say whether that may have happened.
   * @default false
   */
  readonly mayChange?: boolean;
  /** The request fails if the server sends neither an answer nor progress for this many milliseconds. */
  readonly timeoutMs: number;
  readonly caller: Caller;
}

interface RunningCall {
  readonly caller: Caller;
  readonly timeout: ProgressTimeout;
  readonly fail: (error: UpstreamError) => void;
  questions: number;
}

/** The key in `_meta` of a request that asks the server for log messages (MCP 2026-07-28). */
const logLevelKey = "io.modelcontextprotocol/logLevel";
/** After climax gave a call up, the server may still ask a person something for it for this many milliseconds. */
const abandonedMs = 10 * 60 * 1000;
type Connection = Pick<UpstreamConnection, "client" | "callTool">;
type Given = Exclude<Answer, { action: "unasked" }>;

export class RunningCalls {
  readonly #calls = new Set<RunningCall>();
  /** Calls that climax gave up. Until the time `until`, the server may still ask questions or send logs for them. */
  readonly #abandoned: { readonly scope: object | undefined; readonly until: number }[] = [];

  constructor(private readonly server: string, private readonly clock: Clock) {}

  /** Sends a request and waits for its result. @throws {UpstreamError} */
  async run<Reply extends Result>(
    connection: Connection,
    call: UpstreamRequest<Reply>,
  ): Promise<Reply> {
    if (this.#calls.size >= maxInFlight) {
      throw this.#error("refused", `has ${maxInFlight} calls running already, try again later`);
    }
    const stop = new AbortController();
    const failed = Promise.withResolvers<never>();
    const fail = (error: UpstreamError): void => {
      failed.reject(error);
      stop.abort(error.message);
    };
    const onAbort = () => fail(new UpstreamError("Call was cancelled", "cancelled"));
    const { caller, subject, timeoutMs } = call;
    const { signal } = caller;
    const bounds = { quietMs: timeoutMs, totalMs: maxCallMs, clock: this.clock };
    const timeout = new ProgressTimeout(bounds, (reason) => {
      const text = `${subject} of server '${this.server}' ${reason}`;
      fail(new UpstreamError(text, "timed out"));
    });
    const running: RunningCall = { caller, timeout, fail, questions: 0 };
    this.#calls.add(running);
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      const answered = this.#converse(connection, call, running, stop.signal);
      return await Promise.race([answered, failed.promise]);
    } catch (error) {
      throw await failureOf(this.server, error, call.mayChange);
    } finally {
      timeout.stop();
      this.#calls.delete(running);
      if (stop.signal.aborted) this.#abandon(caller.elicitationScope);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  get size(): number {
    return this.#calls.size;
  }

  failAll(error: UpstreamError): void {
    for (const { fail } of this.#calls) fail(error);
    this.#abandoned.length = 0;
  }

  #abandon(scope: object | undefined): void {
    const now = this.clock.now();
    const others = this.#abandoned.filter((each) => each.until > now && each.scope !== scope);
    this.#abandoned.splice(0, Infinity, ...others, { scope, until: now + abandonedMs });
  }

  /** Sends a request. While the server answers with questions, asks the person, and sends it again with the answers. */
  async #converse<Reply extends Result>(
    connection: Connection,
    { send, caller: { onProgress, logLevel, inputResponses } }: UpstreamRequest<Reply>,
    running: RunningCall,
    signal: AbortSignal,
  ): Promise<Reply> {
    const isModern = connection.client.getProtocolEra() === "modern";
    const isAsked = logLevel !== undefined && isModern;
    const meta = isAsked ? { _meta: { [logLevelKey]: logLevel } } : {};
    const unasked = inputResponses as Responses["inputResponses"];
    const hasAnswers = unasked !== undefined && isModern;
    let responses: Responses = hasAnswers ? { ...meta, inputResponses: unasked } : meta;
    for (let round = 0; round <= maxQuestions; round++) {
      const options = {
        signal,
        timeout: 2 ** 31 - 1,
        allowInputRequired: true,
        onprogress: (news: object) => {
          running.timeout.news();
          onProgress?.(news as ProgressEvent);
        },
      };
      const result = await send(connection, options, responses);
      const asked = questionOf(result);
      if (asked === undefined) return result;
      if ("unknown" in asked) {
        throw this.#error("refused", `asks for ${asked.unknown}, which climax does not offer`);
      }
      const answers = new Map<string, Answer>();
      for (const [key, question] of asked.questions) {
        answers.set(key, await this.#ask(running, [running], question, key));
      }
      responses = { ...meta, ...responsesTo(asked, answers) };
    }
    throw this.#error("refused", `has asked ${maxQuestions} times and still does not answer`);
  }

  onLog(message: LogMessage): void {
    if (this.#areOfOneClient) [...this.#calls].at(-1)?.caller.onLog?.(message);
  }

  get #areOfOneClient(): boolean {
    const now = this.clock.now();
    const abandoned = this.#abandoned.filter(({ until }) => until > now);
    const scopes = new Set([
      ...[...this.#calls].map(({ caller }) => caller.elicitationScope),
      ...abandoned.map(({ scope }) => scope),
    ]);
    const isAlone = this.#calls.size === 1 && abandoned.length === 0;
    return isAlone || (scopes.size === 1 && !scopes.has(undefined));
  }

  /** A server before MCP 2026-07-28 does not say for which call it asks, so it may ask only while one client calls. */
  async onElicit(params: ElicitRequest["params"]): Promise<ElicitResult> {
    const waiting = [...this.#calls];
    const latest = waiting.at(-1);
    try {
      if (latest === undefined) {
        throw this.#error("refused", "asks the user while no call is running");
      }
      if (!this.#areOfOneClient) {
        throw this.#error("refused", "asks the person while calls of several clients are running");
      }
      const question: Question = params.mode === "url"
        ? { mode: "url", message: params.message, url: params.url }
        : { mode: "form", message: params.message, requestedSchema: params.requestedSchema };
      return await this.#ask(latest, waiting, question) as ElicitResult;
    } catch (error) {
      log("info", messageOf(error));
      const { ProtocolError, ProtocolErrorCode } = await import("@modelcontextprotocol/client");
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, messageOf(error));
    }
  }

  async #ask(
    running: RunningCall,
    waiting: readonly RunningCall[],
    question: Question,
    key?: string,
  ): Promise<Given> {
    const words = questionWords(question);
    const refusal = (reason: string) =>
      this.#error("refused", `wants to ask the person ('${words}'), but ${reason}`);
    const shown = showQuestion(this.server, question);
    if (typeof shown === "string") throw refusal(shown);
    const { ask } = running.caller;
    if (ask === undefined) throw refusal("the client does not support elicitation");
    if (++running.questions > maxQuestions) {
      throw refusal(`it has asked ${maxQuestions} times already`);
    }
    for (const { timeout } of waiting) timeout.pause();
    const answer = await ask(shown, key).finally(() => {
      for (const { timeout } of waiting) timeout.resume();
    });
    if (answer.action === "unasked") throw refusal(answer.reason);
    return answer;
  }

  #error(kind: UpstreamError["kind"], text: string): UpstreamError {
    return errorOf(this.server, kind, text);
  }
}

class ProgressTimeout {
  #spentMs = 0;
  #since: number;
  #pauses = 0;
  #cancel: CancelTimer = () => {};

  constructor(
    readonly bounds: { readonly quietMs: number; readonly totalMs: number; readonly clock: Clock },
    readonly onTimeout: (reason: string) => void,
  ) {
    this.#since = bounds.clock.now();
    this.#arm();
  }

  news(): void {
    if (this.#pauses > 0) return;
    this.#count();
    this.#arm();
  }

  pause(): void {
    if (this.#pauses++ > 0) return;
    this.#count();
    this.#cancel();
  }

  resume(): void {
    if (--this.#pauses > 0) return;
    this.#since = this.bounds.clock.now();
    this.#arm();
  }

  stop(): void {
    this.#pauses = Infinity;
    this.#cancel();
  }

  #count(): void {
    const now = this.bounds.clock.now();
    this.#spentMs += now - this.#since;
    this.#since = now;
  }

  #arm(): void {
    this.#cancel();
    const { quietMs, totalMs, clock } = this.bounds;
    const mostMs = Math.max(totalMs, quietMs);
    const leftMs = mostMs - this.#spentMs;
    const reason = leftMs < quietMs && this.#spentMs > 0
      ? `timed out after ${mostMs / 1000}s in all`
      : `timed out after ${quietMs / 1000}s`;
    const ms = Math.max(0, Math.min(quietMs, leftMs));
    this.#cancel = clock.after(ms, () => this.onTimeout(reason));
  }
}
