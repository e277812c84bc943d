/**
 * Asks the user of a client during a call. A client of MCP 2025-11-25 or older gets a request. A client of MCP
 * 2026-07-28 gets the question as its response, and repeats the call with the answer and a token that is valid once.
 */

import {
  inputRequired,
  type InputRequiredResult,
  inputResponse,
} from "@modelcontextprotocol/server";
import { type Clock, systemClock } from "../async/clock.ts";
import { countHeld, oldestOfLargest } from "../async/semaphore.ts";
import { messageOf } from "../errors.ts";
import { io } from "../io.ts";
import type { SharedState } from "../state/shared_state.ts";
import { canonicalJson } from "../text/own_property.ts";
import { type CallResult, textResult } from "../tool/result.ts";
import type { Answer, Ask, Question } from "../tool/runner.ts";
import { noQuestion, QuestionTokens, type TokenPayload } from "./_question_tokens.ts";
import {
  answerMs,
  type GivenAnswer,
  maxSuspended,
  SuspendedCall,
  whyNotAsked,
} from "./_suspended_call.ts";
import { type AskedCall, capabilitiesOf, logOf, type StartCall } from "./requests.ts";

export interface ElicitationOptions {
  readonly isOneClient?: boolean;
  readonly stop?: AbortSignal;
  readonly clock?: Clock;
  readonly state?: SharedState | undefined;
}

export const maxQuestions = 5;

export class Elicitation {
  readonly person: object | undefined;
  readonly #open = new Map<unknown, number>();
  readonly #stop: AbortSignal;
  readonly #tokens: QuestionTokens;
  readonly #clock: Clock;
  readonly #suspended = new Map<string, SuspendedCall>();

  constructor(options: ElicitationOptions = {}) {
    const { isOneClient, stop = new AbortController().signal, clock = systemClock, state } =
      options;
    this.person = isOneClient ? this : undefined;
    this.#stop = stop;
    this.#clock = clock;
    this.#tokens = new QuestionTokens(clock, state);
    stop.addEventListener("abort", () => {
      for (const suspended of this.#suspended.values()) suspended.cancel("climax is ending");
    });
  }

  async ask(call: AskedCall, ...asked: Parameters<Ask>): Promise<Answer> {
    const client = call.client ?? this.person ?? call.mcp ?? call;
    const count = this.#open.get(client) ?? 0;
    if (count >= maxQuestions) {
      const reason = `too many questions wait for a person: ${count} of this client`;
      return { action: "unasked", reason };
    }
    this.#open.set(client, count + 1);
    try {
      return await sendQuestion(call, this.#stop, ...asked);
    } finally {
      const left = this.#open.get(client)! - 1;
      if (left > 0) this.#open.set(client, left);
      else this.#open.delete(client);
    }
  }

  async serve(call: AskedCall, start: StartCall): Promise<CallResult | InputRequiredResult> {
    const token = call.context.mcpReq.requestState<string>();
    if (token === undefined) return await this.#begin(call, start);
    const payload = this.#tokens.read(token, callText(call));
    if (typeof payload === "string") return resultOfRefusal(payload);
    if (payload.planHash === undefined) return await this.#resume(call, payload.id);
    const reason = await this.#tokens.use(payload);
    return reason === undefined ? await this.#begin(call, start, payload) : resultOfRefusal(reason);
  }

  async #begin(
    call: AskedCall,
    start: StartCall,
    payload?: TokenPayload,
  ): Promise<CallResult | InputRequiredResult> {
    const { client = "", context, logs } = call;
    const { inputResponses } = context.mcpReq;
    const given = payload?.planHash === undefined ? [] : [
      ...payload.before ?? [],
      { answer: answerFrom(inputResponses, payload.question), planHash: payload.planHash },
    ];
    const suspended = new SuspendedCall(start, {
      client,
      capabilities: capabilitiesOf(call),
      logs,
      caller: {
        logLevel: logOf(context, logs).logLevel,
        inputResponses: answersBut(inputResponses, payload?.question),
        elicitationScope: this.person ?? {},
      },
      whyNot: (waits) => waits ? this.#whyNoRoom(client) : this.#tokens.whyNot(),
      given,
      clock: this.#clock,
    });
    return await this.#next(call, suspended, given);
  }

  #whyNoRoom(client: string): string | undefined {
    if (this.#suspended.size < maxSuspended) return undefined;
    const all = [...this.#suspended].map(([id, call]) => ({ id, call, owner: call.client }));
    const held = countHeld(all);
    const { id, owner, call: oldest } = oldestOfLargest(all, held)!;
    if (held.get(owner)! <= (held.get(client) ?? 0)) {
      return `${maxSuspended} calls are already waiting for an answer`;
    }
    this.#suspended.delete(id);
    oldest.cancel("too many calls are waiting for an answer");
    return undefined;
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
    const { questions, planHash } = next;
    const [question = ""] = questions.keys();
    const about = planHash === undefined ? { question } : { question, planHash, before };
    const { token, id } = this.#tokens.issue(callText(call), answerMs, about);
    if (planHash === undefined) {
      this.#suspended.set(id, suspended);
      suspended.expireIn(answerMs, () => this.#suspended.delete(id));
    } else await suspended.defer();
    return inputRequired({ inputRequests: inputRequestsOf(questions), requestState: token });
  }
}

/** The first answer counts: that of the client, or one that the person gives elsewhere. */
async function sendQuestion(
  { context: { mcpReq }, mcp }: AskedCall,
  stop: AbortSignal,
  ...[question, , , otherAnswer]: Parameters<Ask>
): Promise<Answer> {
  const reason = whyNotAsked(question, mcp?.server.getClientCapabilities());
  if (reason !== undefined) return { action: "unasked", reason };
  const over = new AbortController();
  const signal = AbortSignal.any([mcpReq.signal, stop, over.signal]);
  let other: Promise<Answer | undefined> | undefined;
  try {
    const params = question.mode === "url"
      ? { ...question, elicitationId: crypto.randomUUID() }
      : { ...question };
    const request = { method: "elicitation/create" as const, params };
    const sent = mcpReq.send(request, { timeout: answerMs, signal }) as Promise<Answer>;
    other = otherAnswer?.(signal);
    return await Promise.race([sent, other?.then((answer) => answer ?? sent) ?? sent]);
  } catch (error) {
    return { action: "unasked", reason: `the request failed: ${messageOf(error)}` };
  } finally {
    over.abort();
    await other;
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

function callText({ name, args, client }: AskedCall): string {
  return canonicalJson([name, args ?? {}, client ?? null, io().profile ?? null]);
}
