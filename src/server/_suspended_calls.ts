/**
 * The calls whose questions are sent as responses, until the answers come. Such an answer must have a token that was
 * made for this call, is not expired and was not used. Where instances share state, a call that has changed nothing yet
 * is not suspended: any instance begins it again.
 */

import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  inputRequired,
  type InputRequiredResult,
} from "@modelcontextprotocol/server";
import type { Clock } from "../async/clock.ts";
import { heldBy, oldestOfLargest } from "../async/semaphore.ts";
import type { SharedState } from "../state/shared_state.ts";
import type { WhenDown } from "../state/store.ts";
import { type CallResult, textResult } from "../tool/result.ts";
import { answerFrom, answersBut, callText, inputRequestsOf } from "./_answers.ts";
import { logOf, type StartCall } from "./_client.ts";
import type { SharedTokens, Ticket } from "./_shared_tokens.ts";
import {
  type Deferral,
  type GivenAnswer,
  maxSuspended,
  type OpenQuestions,
  SuspendedCall,
} from "./_suspended_call.ts";
import { TokenMakers } from "./_token_makers.ts";
import type { AskedCall } from "./asked_call.ts";

export interface SuspendedCallsOptions {
  /** Milliseconds to answer a question. */
  readonly answerMs: number;
  /** Aborts at the end of serving. */
  readonly stop: AbortSignal;
  readonly clock: Clock;
  readonly state: SharedState | undefined;
  /** The person whom a call asks, given an object that is the call's own. */
  readonly scope: (own: object) => object;
}

/** The suspended calls of a process. */
export class SuspendedCalls {
  readonly #answerMs: number;
  readonly #clock: Clock;
  readonly #makers: TokenMakers;
  #shared: SharedTokens | undefined;
  readonly #whenDown: WhenDown | undefined;
  readonly #scope: SuspendedCallsOptions["scope"];
  readonly #suspended = new Map<string, SuspendedCall>();

  constructor({ answerMs, stop, clock, state, scope }: SuspendedCallsOptions) {
    this.#clock = clock;
    this.#makers = new TokenMakers(clock, state);
    this.#whenDown = state?.whenDown;
    this.#answerMs = answerMs;
    this.#scope = scope;
    stop.addEventListener("abort", () => {
      for (const suspended of this.#suspended.values()) suspended.cancel("climax is ending");
    });
  }

  /** Runs a call, or resumes a suspended one with the answer in `call`. */
  async serve(
    call: AskedCall,
    start: StartCall,
  ): Promise<CallResult | InputRequiredResult> {
    this.#shared ??= await this.#makers.shared();
    const token = call.context.mcpReq.requestState<string>();
    if (token === undefined) return await this.#begin(call, start);
    const shared = this.#shared;
    if (!shared?.isShared(token)) {
      return await this.#resume(call, (await this.#makers.own()).idOf(token, callText(call)));
    }
    const ticket = shared.read(token, callText(call));
    if (typeof ticket === "string") return refused(ticket);
    if (ticket.subject === undefined) {
      return shared.isElsewhere(ticket) ? refused(elsewhere) : await this.#resume(call, ticket.id);
    }
    const reason = await shared.use(ticket);
    return reason === undefined ? await this.#begin(call, start, ticket) : refused(reason);
  }

  /** Starts a call; with the answer to the question of `ticket`, if there is one. */
  async #begin(
    call: AskedCall,
    start: StartCall,
    ticket?: Ticket,
  ): Promise<CallResult | InputRequiredResult> {
    const { client = "", context, logs } = call;
    const { envelope, inputResponses } = context.mcpReq;
    const capabilities = (envelope as Record<string, unknown>)[CLIENT_CAPABILITIES_META_KEY] as
      | ClientCapabilities
      | undefined;
    const deferral = this.#deferral(inputResponses, ticket);
    const suspended = new SuspendedCall(start, this.#scope({}), {
      client,
      capabilities,
      logs,
      caller: {
        logLevel: logOf(context, logs).logLevel,
        inputResponses: answersBut(inputResponses, ticket?.question),
      },
      hasRoom: () => this.#hasRoomFor(client),
      deferral,
      clock: this.#clock,
    });
    return await this.#next(call, suspended, deferral?.given);
  }

  /** Absent if calls wait here: instances share nothing, or what they share is away and that is allowed. */
  #deferral(
    responses: Record<string, unknown> | undefined,
    ticket: Ticket | undefined,
  ): Deferral | undefined {
    const shared = this.#shared;
    if (shared === undefined) return undefined;
    const whyNot = () => shared.whyNot();
    const isAlone = whyNot() !== undefined && this.#whenDown === "local";
    if (ticket === undefined && isAlone) return undefined;
    if (ticket?.subject === undefined) return { whyNot, given: [] };
    const answer = answerFrom(responses, ticket.question);
    return { whyNot, given: [...ticket.before ?? [], { answer, subject: ticket.subject }] };
  }

  /**
   * Returns whether one more call may wait. Cancels the oldest call of the client that has most, if that has more than
   * `client`.
   */
  #hasRoomFor(client: string): boolean {
    if (this.#suspended.size < maxSuspended) return true;
    const suspended = this.#suspended.entries().map(([id, call]) => ({
      id,
      call,
      owner: call.client,
    }));
    const all = suspended.toArray();
    const held = heldBy(all);
    const { id, owner, call: oldest } = oldestOfLargest(all, held)!;
    if (held.get(owner)! <= (held.get(client) ?? 0)) return false;
    this.#suspended.delete(id);
    oldest.cancel("too many calls are waiting for an answer");
    return true;
  }

  async #resume(
    call: AskedCall,
    id: string | undefined,
  ): Promise<CallResult | InputRequiredResult> {
    const suspended = id === undefined ? undefined : this.#suspended.get(id);
    if (id === undefined || suspended === undefined) {
      return refused(
        "the answer matches no open question. It was used before, came too late, or is for another call",
      );
    }
    this.#suspended.delete(id);
    suspended.answer((key) => answerFrom(call.context.mcpReq.inputResponses, key));
    return await this.#next(call, suspended);
  }

  /** Waits for the result of a call, or for its questions. */
  async #next(
    call: AskedCall,
    suspended: SuspendedCall,
    before: readonly GivenAnswer[] = [],
  ): Promise<CallResult | InputRequiredResult> {
    const next = await suspended.next(call.context);
    if ("content" in next) return next;
    const token = await this.#tokenFor(call, suspended, { ...next, before });
    const inputRequests = inputRequestsOf(next.questions);
    return inputRequired({ inputRequests, requestState: token });
  }

  /** A token for the answers. The call ends, if it may, and waits here otherwise. */
  async #tokenFor(
    call: AskedCall,
    suspended: SuspendedCall,
    { questions, subject, before }: OpenQuestions & { before: readonly GivenAnswer[] },
  ): Promise<string> {
    const [text, ms] = [callText(call), this.#answerMs];
    const [question = ""] = questions.keys();
    if (subject !== undefined && this.#shared !== undefined) {
      const token = this.#shared.issue(text, ms, { question, subject, before });
      await suspended.defer();
      return token.token;
    }
    const tokens = this.#shared?.whyNot() === undefined ? this.#shared : undefined;
    const { token, id } = tokens?.issue(text, ms, { question }) ??
      (await this.#makers.own()).issue(text, ms);
    this.#suspended.set(id, suspended);
    suspended.expireIn(ms, () => this.#suspended.delete(id));
    return token;
  }
}

const elsewhere =
  "the question waits at another instance of climax, which alone can continue this call\n" +
  "An operator can have the proxy send each client to one instance";

function refused(reason: string): CallResult {
  return textResult(`Call refused: ${reason}`, true);
}
