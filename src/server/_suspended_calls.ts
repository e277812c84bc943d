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
import { type GivenAnswer, maxSuspended, SuspendedCall } from "./_suspended_call.ts";
import { io } from "../io.ts";
import { canonicalJson } from "../text/canonical_json.ts";
import type { Answer, Question } from "../tool/runner.ts";
import { Buffer } from "node:buffer";
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { messageOf } from "../errors.ts";
import { StateError, type Taken } from "../state/store.ts";

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
    const { envelope, inputResponses } = context.mcpReq;
    const capabilities = (envelope as Record<string, unknown>)[CLIENT_CAPABILITIES_META_KEY] as
      | ClientCapabilities
      | undefined;
    const given = payload?.planHash === undefined ? [] : [
      ...payload.before ?? [],
      { answer: answerFrom(inputResponses, payload.question), planHash: payload.planHash },
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

/** Of tokens; another one for each change of {@linkcode TokenPayload}. */
const format = "s1";

/** The content of a token. */
export interface TokenPayload {
  readonly id: string;
  /** Milliseconds since 1970 by the clock of the store. */
  readonly until: number;
  /** Of the store that remembers its use; absent: its instance does. */
  readonly generation?: string;
  readonly instance: string;
  readonly question: string;
  /** Fingerprint of what the person is asked about; absent: the call waits at its instance. */
  readonly planHash?: string;
  /** Answers to the questions before, which the call asks again when it begins again. */
  readonly before?: readonly GivenAnswer[];
}

const again = "Call the tool again to ask again";

/** The refusal of an answer that belongs to no question of this process. */
export const noQuestion =
  "the answer matches no open question. It was used before, came too late, or is for another call";

const otherInstance =
  "the question waits at another instance of climax, which alone can continue this call\n" +
  "An operator can have the proxy send each client to one instance";

const unreachable = "the store that all instances share cannot be reached";

export class QuestionTokens {
  readonly #clock: Clock;
  readonly #state: SharedState | undefined;
  readonly #instance: string;
  /** Of this process, for tokens of the clients of one instance. */
  readonly #key = { name: randomBytes(6).toString("base64url"), bytes: randomBytes(32) };
  readonly #used = new UsedTokens();

  constructor(clock: Clock, state: SharedState | undefined) {
    this.#clock = clock;
    this.#state = state;
    this.#instance = state?.store.instance ?? this.#key.name;
  }

  /** The reason why no question can be asked now, if there is one. */
  whyNot(): string | undefined {
    const condition = this.#condition();
    if (this.#isAlone() || condition === "up") return undefined;
    return condition === "full" ? "the store that all instances share is full" : unreachable;
  }

  issue(
    text: string,
    ms: number,
    about: Pick<TokenPayload, "question" | "planHash" | "before">,
  ): { readonly token: string; readonly id: string } {
    const id = randomBytes(16).toString("base64url");
    const generation = this.#isAlone() ? undefined : this.#state?.store.generation ?? "";
    const payload: TokenPayload = {
      ...about,
      id,
      until: Math.round(this.#now() + ms),
      ...(generation === undefined ? {} : { generation }),
      instance: this.#instance,
    };
    const body = Buffer.from(JSON.stringify(payload)).toString("base64url");
    const key = this.#state?.keyring.first.name ?? this.#key.name;
    const signed = signature(this.#keyOf(key)!, body, text).toString("base64url");
    return { id, token: [format, key, body, signed].join(".") };
  }

  /** The content of a token for the call `text` that has not expired, or the reason of the refusal. */
  read(token: string, text: string): TokenPayload | string {
    const [prefix, name = "", body = "", signed = ""] = token.split(".");
    if (prefix !== format) return noQuestion;
    const key = this.#keyOf(name);
    if (key === undefined) {
      return this.#state === undefined
        ? noQuestion
        : "the question was asked by an instance with another signing key\n" +
          `An operator must give all instances the same --signing-key; then: ${again}`;
    }
    const [expected, received] = [signature(key, body, text), Buffer.from(signed, "base64url")];
    if (received.length !== expected.length || !timingSafeEqual(received, expected)) {
      return `the answer is for another call\n${again}`;
    }
    const payload = JSON.parse(Buffer.from(body, "base64url").toString()) as TokenPayload;
    if (payload.until <= this.#now()) return `the answer came too late\n${again}`;
    const needsInstance = payload.planHash === undefined || payload.generation === undefined;
    return needsInstance && payload.instance !== this.#instance ? otherInstance : payload;
  }

  /** Uses a token up, once for all instances. Returns the reason of the refusal, if there is one. */
  async use({ id, until, generation }: TokenPayload): Promise<string | undefined> {
    try {
      const taken = generation === undefined
        ? this.#used.take(id, until, this.#now())
        : await this.#state!.store.take(`answer:${id}`, until - this.#now() + usedMs, generation);
      if (taken === "taken") return undefined;
      const lost = "the store that all instances share has begun again since the question";
      return taken === "used" ? "the answer was used before" : `${lost}\n${again}`;
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      const reason = messageOf(error).replace(/^The/, "the");
      return `${reason}, and no answer is taken without it\n${again}`;
    }
  }

  /** True if this instance takes its tokens alone: there is no store, or it is away and that is allowed. */
  #isAlone(): boolean {
    return this.#state === undefined ||
      this.#state.whenDown === "local" && this.#condition() !== "up";
  }

  #condition(): "up" | "full" | "down" {
    const { condition = "down", generation } = this.#state?.store ?? {};
    if (condition === "down" || generation === undefined) return "down";
    return condition === "full" ? "full" : "up";
  }

  #keyOf(name: string): Uint8Array | undefined {
    if (this.#state !== undefined) return this.#state.keyring.get(name)?.derive("tokens");
    return name === this.#key.name ? this.#key.bytes : undefined;
  }

  #now(): number {
    return this.#state?.store.now() ?? this.#clock.now();
  }
}

/** Milliseconds that a used token is remembered after it has expired. */
const usedMs = 60_000;

/** Most used tokens that a process remembers. */
const maxUsed = 50_000;

class UsedTokens {
  readonly #used = new Map<string, number>();
  /** Tokens with an end until then may have been forgotten, so none of them is taken. */
  #forgotten = 0;

  take(id: string, until: number, now: number): Taken {
    if (this.#used.has(id) || until <= this.#forgotten) return "used";
    for (const [other, end] of this.#used) {
      if (end > now && this.#used.size < maxUsed) break;
      this.#used.delete(other);
      this.#forgotten = Math.max(this.#forgotten, end);
    }
    this.#used.set(id, until);
    return "taken";
  }
}

function signature(key: Uint8Array, body: string, text: string): Buffer {
  return createHmac("sha256", key).update(`${format}.${body}.${text}`).digest();
}
