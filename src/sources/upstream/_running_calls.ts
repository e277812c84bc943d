/** The calls one server has to answer: how long each is waited for, and what it asks of the person. */

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
import { errorOf, UpstreamError } from "./error.ts";

/** What a call is made with. */
export interface UpstreamCall extends Pick<PlanOptions, "signal" | "ask" | "elicitationScope"> {
  /** The tool, by the server's own name for it, and its input schema. */
  readonly definition: Pick<Definition, "name" | "inputSchema">;
  readonly args: Readonly<Record<string, unknown>>;
  /** Milliseconds without an answer or news. */
  readonly timeoutMs: number;
  readonly onProgress?: (news: { progress: number; total?: number; message?: string }) => void;
}

/** A call that has no answer yet. */
interface RunningCall extends Pick<PlanOptions, "ask" | "elicitationScope"> {
  readonly patience: ProgressTimeout;
  readonly fail: (error: UpstreamError) => void;
  questions: number;
}

/** An answer that somebody waited for. */
type Given = Exclude<Answer, { action: "unasked" }>;

/** The calls of one server. */
export class RunningCalls {
  readonly #server: string;
  readonly #calls = new Set<RunningCall>();

  constructor(server: string) {
    this.#server = server;
  }

  /** Carries out one call over `client`. @throws {UpstreamError} */
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
    const patience = new ProgressTimeout(timeoutMs, maxCallMs, (reason) => {
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
      const { ProtocolError } = await import("@modelcontextprotocol/client");
      if (error instanceof ProtocolError) throw this.#error("refused", `refused: ${error.message}`);
      throw this.#error("ended", `gave no answer: ${messageOf(error)}`);
    } finally {
      patience.stop();
      this.#calls.delete(running);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Ends every call with `error`. */
  failAll(error: UpstreamError): void {
    for (const { fail } of this.#calls) fail(error);
  }

  /** The answer to a call, with as many questions to the person in between as it takes. */
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
        // Our own patience counts
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

  /** A question that came by itself, as before 2026-07-28: it does not say to which call it belongs. */
  async onElicit(params: ElicitRequest["params"]): Promise<ElicitResult> {
    const waiting = [...this.#calls];
    const latest = waiting.at(-1);
    const people = new Set(waiting.map(({ elicitationScope: person }) => person));
    const isSure = waiting.length === 1 ||
      (people.size === 1 && latest?.elicitationScope !== undefined);
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

  /** Asks the person of one call, while the clocks of `waiting` stand. */
  async #ask(
    running: RunningCall,
    waiting: readonly RunningCall[],
    question: Question,
  ): Promise<Given> {
    const words = questionWords(question);
    const why = (reason: string) =>
      this.#error("refused", `wants to ask the person ('${words}'), but ${reason}`);
    const shown = shownQuestion(this.#server, question);
    if (!shown.ok) throw why(shown.reason);
    if (running.ask === undefined) throw why("the client does not support elicitation");
    if (++running.questions > maxQuestions) throw why(`it has asked ${maxQuestions} times already`);
    for (const { patience } of waiting) patience.pause();
    const answer = await running.ask(shown.question).finally(() => {
      for (const { patience } of waiting) patience.resume();
    });
    if (answer.action === "unasked") throw why(answer.reason);
    return answer;
  }

  #error(kind: UpstreamError["kind"], text: string): UpstreamError {
    return errorOf(this.#server, kind, text);
  }
}
