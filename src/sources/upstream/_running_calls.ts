/** The running calls of one server: their timeouts, and the questions of the server to the user. */

import type { Clock } from "../../async/clock.ts";
import type {
  CallToolResult,
  Client,
  ElicitRequest,
  ElicitResult,
} from "@modelcontextprotocol/client";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import type { Answer, PlanOptions, Question } from "../../tool/runner.ts";
import { maxCallMs, maxInFlight, maxQuestions } from "./_bounds.ts";
import { ProgressTimeout } from "./_progress_timeout.ts";
import { questionOf, withResponses } from "./_questions.ts";
import { questionWords, shownQuestion } from "./_shown_question.ts";
import type { Definition } from "./definition.ts";
import { errorOf, reasonOf, UpstreamError } from "./error.ts";
import { loginNeededIn } from "./login/needed.ts";

export interface UpstreamCall extends Pick<PlanOptions, "signal" | "ask" | "elicitationScope"> {
  /** The name is that of the server. */
  readonly definition: Pick<Definition, "name" | "inputSchema">;
  readonly args: Readonly<Record<string, unknown>>;
  /** Milliseconds without an answer or progress. */
  readonly timeoutMs: number;
  readonly onProgress?: (news: { progress: number; total?: number; message?: string }) => void;
}

interface RunningCall extends Pick<PlanOptions, "ask" | "elicitationScope"> {
  readonly patience: ProgressTimeout;
  readonly fail: (error: UpstreamError) => void;
  questions: number;
}

/** An answer of the user. */
type Given = Exclude<Answer, { action: "unasked" }>;

export class RunningCalls {
  readonly #server: string;
  readonly #clock: Clock;
  readonly #calls = new Set<RunningCall>();

  constructor(server: string, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
  }

  /** @throws {UpstreamError} */
  async run(client: Client, call: UpstreamCall): Promise<CallToolResult> {
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
    const { signal, definition, timeoutMs, ask, elicitationScope: person } = call;
    const bounds = { quietMs: timeoutMs, totalMs: maxCallMs, clock: this.#clock };
    const patience = new ProgressTimeout(bounds, (reason) => {
      const text = `Tool '${definition.name}' of server '${this.#server}' ${reason}`;
      fail(new UpstreamError(text, "timed out"));
    });
    const running: RunningCall = { patience, fail, ask, elicitationScope: person, questions: 0 };
    this.#calls.add(running);
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      const answered = this.#converse(client, call, running, stop.signal);
      return await Promise.race([answered, failed.promise]);
    } catch (error) {
      if (error instanceof UpstreamError) throw error;
      const needed = loginNeededIn(error);
      if (needed !== undefined) throw new UpstreamError(needed.message, "needs a login");
      const { ProtocolError } = await import("@modelcontextprotocol/client");
      if (error instanceof ProtocolError) {
        throw errorOf(this.#server, "refused", `refused: ${error.message}`, error);
      }
      throw errorOf(this.#server, "ended", `gave no answer: ${reasonOf(error)}`, error);
    } finally {
      patience.stop();
      this.#calls.delete(running);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Calls that have no result yet. */
  get size(): number {
    return this.#calls.size;
  }

  failAll(error: UpstreamError): void {
    for (const { fail } of this.#calls) fail(error);
  }

  /** Repeats the call with the answers of the user until it has a result. */
  async #converse(
    client: Client,
    { definition: { name, inputSchema }, args, onProgress }: UpstreamCall,
    running: RunningCall,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    let params: Parameters<typeof client.callTool>[0] = { name, arguments: args };
    for (let round = 0; round <= maxQuestions; round++) {
      const result = await client.callTool(params, {
        signal,
        // The timeout of this file applies instead
        timeout: 2 ** 31 - 1,
        allowInputRequired: true,
        toolDefinition: { name, inputSchema },
        onprogress: (news) => {
          running.patience.news();
          onProgress?.(news as Parameters<NonNullable<typeof onProgress>>[0]);
        },
      });
      const asked = questionOf(result);
      if (asked === undefined) return result;
      if ("unknown" in asked) {
        throw this.#error("refused", `asks for ${asked.unknown}, which climax does not offer`);
      }
      const answers = new Map<string, Answer>();
      for (const [key, question] of asked.questions) {
        answers.set(key, await this.#ask(running, [running], question));
      }
      params = withResponses({ name, arguments: args }, asked, answers);
    }
    throw this.#error("refused", `has asked ${maxQuestions} times and still does not answer`);
  }

  /** A request of a server before 2026-07-28. It does not say which call it belongs to. */
  async onElicit(params: ElicitRequest["params"]): Promise<ElicitResult> {
    const waiting = [...this.#calls];
    const latest = waiting.at(-1);
    const scopes = new Set(waiting.map(({ elicitationScope }) => elicitationScope));
    const isSure = waiting.length === 1 ||
      (scopes.size === 1 && latest?.elicitationScope !== undefined);
    try {
      if (latest === undefined) {
        throw this.#error("refused", "asks the user while no call is running");
      }
      if (!isSure) {
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

  /** Asks the user of one call, with the timeouts of `waiting` paused. */
  async #ask(
    running: RunningCall,
    waiting: readonly RunningCall[],
    question: Question,
  ): Promise<Given> {
    const words = questionWords(question);
    const refusal = (reason: string) =>
      this.#error("refused", `wants to ask the person ('${words}'), but ${reason}`);
    const visible = shownQuestion(this.#server, question);
    if (!visible.ok) throw refusal(visible.reason);
    if (running.ask === undefined) throw refusal("the client does not support elicitation");
    if (++running.questions > maxQuestions) {
      throw refusal(`it has asked ${maxQuestions} times already`);
    }
    for (const { patience } of waiting) patience.pause();
    const answer = await running.ask(visible.question).finally(() => {
      for (const { patience } of waiting) patience.resume();
    });
    if (answer.action === "unasked") throw refusal(answer.reason);
    return answer;
  }

  #error(kind: UpstreamError["kind"], text: string): UpstreamError {
    return errorOf(this.#server, kind, text);
  }
}
