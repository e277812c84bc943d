/** Calls whose questions are sent as responses. An answer needs a token for this call, not expired, not used. */

import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
} from "@modelcontextprotocol/server";
import type { Clock } from "../async/clock.ts";
import { countHeld, oldestOfLargest } from "../async/semaphore.ts";
import type { SharedState } from "../state/shared_state.ts";
import { type CallResult, textResult } from "../tool/result.ts";
import { answerMs, type AskedCall, logOf, type StartCall } from "./_client.ts";
import { noQuestion, QuestionTokens, type TokenPayload } from "./_question_tokens.ts";
import { type GivenAnswer, maxSuspended, SuspendedCall } from "./_suspended_call.ts";
import { io } from "../io.ts";
import { canonicalJson } from "../text/canonical_json.ts";
import type { Answer, Question } from "../tool/runner.ts";

interface SuspendedCallsOptions {
  /** Aborts at the end of serving. */
  readonly stop: AbortSignal;
  readonly clock: Clock;
  readonly state: SharedState | undefined;
  /** The person whom all calls ask. @default each call asks another one */
  readonly person: object | undefined;
}

/** The suspended calls of a process. */
export class SuspendedCalls {
  readonly #clock: Clock;
  readonly #tokens: QuestionTokens;
  readonly #person: object | undefined;
  readonly #suspended = new Map<string, SuspendedCall>();

  constructor({ stop, clock, state, person }: SuspendedCallsOptions) {
    this.#clock = clock;
    this.#tokens = new QuestionTokens(clock, state);
    this.#person = person;
    stop.addEventListener("abort", () => {
      for (const suspended of this.#suspended.values()) suspended.cancel("climax is ending");
    });
  }

  async serve(call: AskedCall, start: StartCall): Promise<CallResult | InputRequiredResult> {
    const token = call.context.mcpReq.requestState<string>();
    if (token === undefined) return await this.#begin(call, start);
    const payload = this.#tokens.read(token, callText(call));
    if (typeof payload === "string") return resultOfRefusal(payload);
    if (payload.subject === undefined) return await this.#resume(call, payload.id);
    const reason = await this.#tokens.use(payload);
    return reason === undefined ? await this.#begin(call, start, payload) : resultOfRefusal(reason);
  }

  async #begin(
    call: AskedCall,
    start: StartCall,
    payload?: TokenPayload,
  ): Promise<CallResult | InputRequiredResult> {
    const { client = "", context, logs } = call;
    const { envelope, inputResponses } = context.mcpReq;
    const capabilities = (envelope as Record<string, unknown>)[CLIENT_CAPABILITIES_META_KEY] as
      | ClientCapabilities
      | undefined;
    const given = payload?.subject === undefined ? [] : [
      ...payload.before ?? [],
      { answer: answerFrom(inputResponses, payload.question), subject: payload.subject },
    ];
    const suspended = new SuspendedCall(start, this.#person ?? {}, {
      client,
      capabilities,
      logs,
      caller: {
        logLevel: logOf(context, logs).logLevel,
        inputResponses: answersBut(inputResponses, payload?.question),
      },
      hasRoom: () => this.#hasRoomFor(client),
      whyNot: () => this.#tokens.whyNot(),
      given,
      clock: this.#clock,
    });
    return await this.#next(call, suspended, given);
  }

  /** Cancels the oldest call of the client that has most, if that has more than `client`; false: no room. */
  #hasRoomFor(client: string): boolean {
    if (this.#suspended.size < maxSuspended) return true;
    const all = [...this.#suspended].map(([id, call]) => ({ id, call, owner: call.client }));
    const held = countHeld(all);
    const { id, owner, call: oldest } = oldestOfLargest(all, held)!;
    if (held.get(owner)! <= (held.get(client) ?? 0)) return false;
    this.#suspended.delete(id);
    oldest.cancel("too many calls are waiting for an answer");
    return true;
  }

  async #resume(call: AskedCall, id: string): Promise<CallResult | InputRequiredResult> {
    const suspended = this.#suspended.get(id);
    if (suspended === undefined) return resultOfRefusal(noQuestion);
    this.#suspended.delete(id);
    suspended.answer((key) => answerFrom(call.context.mcpReq.inputResponses, key));
    return await this.#next(call, suspended);
  }

  async #next(
    call: AskedCall,
    suspended: SuspendedCall,
    before: readonly GivenAnswer[] = [],
  ): Promise<CallResult | InputRequiredResult> {
    const next = await suspended.next(call.context);
    if ("content" in next) return next;
    const { questions, subject } = next;
    const [question = ""] = questions.keys();
    const about = subject === undefined ? { question } : { question, subject, before };
    const { token, id } = this.#tokens.issue(callText(call), answerMs, about);
    if (subject === undefined) {
      this.#suspended.set(id, suspended);
      suspended.expireIn(answerMs, () => this.#suspended.delete(id));
    } else await suspended.defer();
    return inputRequired({ inputRequests: inputRequestsOf(questions), requestState: token });
  }
}

function resultOfRefusal(reason: string): CallResult {
  return textResult(`Call refused: ${reason}`, true);
}

type InputResponses = Readonly<Record<string, unknown>> | undefined;

function answerFrom(responses: InputResponses, key: string): Answer {
  const view = inputResponse(responses, key);
  if (view.kind !== "elicit") return { action: "unasked", reason: "the client sent no answer" };
  if (view.action !== "accept") return { action: view.action };
  return { action: "accept", ...(view.content === undefined ? {} : { content: view.content }) };
}

function answersBut(responses: InputResponses, key: string | undefined): InputResponses {
  if (responses === undefined || key === undefined) return responses;
  const { [key]: _, ...others } = responses;
  return Object.keys(others).length === 0 ? undefined : others;
}

function inputRequestsOf(questions: ReadonlyMap<string, Question>) {
  return Object.fromEntries(
    [...questions].map(([key, question]) => [
      key,
      question.mode === "url"
        ? inputRequired.elicitUrl({ message: question.message, url: question.url })
        : inputRequired.elicit(question as Parameters<typeof inputRequired.elicit>[0]),
    ]),
  );
}

/** The data that a token is bound to. */
function callText({ name, args, client }: AskedCall): string {
  return canonicalJson([name, args ?? {}, client ?? null, io().profile ?? null]);
}
