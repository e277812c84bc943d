/**
 * Asks the person behind a client, while one of its calls is running, in either era of the protocol.
 *
 * A client of 2025 is sent a request of ours. One of 2026-07-28 gets the question as the answer to its
 * call and sends the call again with what the person said: until then the call is parked here. What
 * comes back has to carry a token that was made for this very call, in time, and for the first time.
 */

import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { heldBy, oldestOfLargest } from "../async/fair_share.ts";
import { messageOf } from "../errors.ts";
import { canonicalJson } from "../text/canonical_json.ts";
import { type CallResult, textResult } from "../tool/result.ts";
import type { Answer, Ask } from "../tool/runner.ts";
import { progressOf, type StartCall, whyNot } from "./_client.ts";
import { maxSuspended, SuspendedCall } from "./_suspended_call.ts";
import { Tokens } from "./_tokens.ts";

/** Milliseconds that a person has for one answer: ten minutes. */
export const defaultAnswerMs = 10 * 60 * 1000;

export interface ElicitationOptions {
  /** @default {@linkcode defaultAnswerMs} */
  readonly answerMs?: number;
  /** True when all calls come from one client, as over stdio. @default false */
  readonly isOneClient?: boolean;
  /** Aborts when serving ends, and with it every open question. */
  readonly stop?: AbortSignal;
}

/** One `tools/call`, and what it came in with. */
export interface AskedCall {
  readonly name: string;
  readonly args: unknown;
  readonly context: ServerContext;
  readonly mcp: McpServer;
  /** The authenticated client: only its answer counts. */
  readonly client?: string;
}

/** The calls of a process that wait, or may have to wait, for people. */
export class Elicitation {
  readonly #answerMs: number;
  readonly #isOneClient: boolean;
  readonly #stop: AbortSignal;
  readonly #tokens = new Tokens();
  readonly #parked = new Map<string, SuspendedCall>();

  constructor(options: ElicitationOptions = {}) {
    const { answerMs = defaultAnswerMs, isOneClient = false, stop } = options;
    this.#answerMs = answerMs;
    this.#isOneClient = isOneClient;
    this.#stop = stop ?? new AbortController().signal;
    this.#stop.addEventListener("abort", () => {
      for (const parked of this.#parked.values()) parked.giveUp("climax is ending");
    });
  }

  /** Runs a call, or resumes one that has waited for the answer that `call` brings. */
  async serve(call: AskedCall, start: StartCall): Promise<CallResult | InputRequiredResult> {
    const { envelope } = call.context.mcpReq;
    if (envelope === undefined) return await this.#serveDirectly(call, start);
    const token = call.context.mcpReq.requestState<string>();
    if (token !== undefined) return await this.#resume(call, token);
    const capabilities = (envelope as Record<string, unknown>)[CLIENT_CAPABILITIES_META_KEY] as
      | ClientCapabilities
      | undefined;
    const { client = "" } = call;
    const parked = new SuspendedCall(start, this.#person({}), {
      client,
      capabilities,
      hasRoom: () => this.#makeRoom(client),
    });
    return await this.#attend(call, parked);
  }

  /** A client that can be sent a request. */
  async #serveDirectly({ context, mcp }: AskedCall, start: StartCall): Promise<CallResult> {
    const { mcpReq } = context;
    const capabilities = mcp.server.getClientCapabilities();
    const ask: Ask = async (question) => {
      const reason = whyNot(question, capabilities);
      if (reason !== undefined) return { action: "unasked", reason };
      try {
        const params = question.mode === "url"
          ? { ...question, elicitationId: crypto.randomUUID() }
          : question;
        const options = {
          timeout: this.#answerMs,
          signal: AbortSignal.any([mcpReq.signal, this.#stop]),
        };
        return await mcpReq.send(
          { method: "elicitation/create", params: { ...params } },
          options,
        ) as Answer;
      } catch (error) {
        return { action: "unasked", reason: `the request failed: ${messageOf(error)}` };
      }
    };
    return await start({
      signal: mcpReq.signal,
      onProgress: progressOf(context),
      ask: capabilities?.elicitation === undefined ? undefined : ask,
      elicitationScope: this.#person(mcp),
    });
  }

  /** Returns whether one more may wait, for which the oldest of whoever has more than `client` may have to go. */
  #makeRoom(client: string): boolean {
    if (this.#parked.size < maxSuspended) return true;
    const parked = this.#parked.entries().map(([id, call]) => ({ id, call, owner: call.client }));
    const all = parked.toArray();
    const held = heldBy(all);
    const { id, owner, call: oldest } = oldestOfLargest(all, held)!;
    if (held.get(owner)! <= (held.get(client) ?? 0)) return false;
    this.#parked.delete(id);
    oldest.giveUp("too many calls are waiting for an answer");
    return true;
  }

  #person(otherwise: object): object {
    return this.#isOneClient ? this : otherwise;
  }

  async #resume(call: AskedCall, token: string): Promise<CallResult | InputRequiredResult> {
    const id = this.#tokens.idOf(token, callText(call));
    const parked = id === undefined ? undefined : this.#parked.get(id);
    if (id === undefined || parked === undefined) {
      const text = "Call refused: the answer matches no open question. It was used before, " +
        "came too late, or is for another call";
      return textResult(text, true);
    }
    this.#parked.delete(id);
    parked.answer((key) => answerFrom(call.context.mcpReq.inputResponses, key));
    return await this.#attend(call, parked);
  }

  /** Waits for the result of a call, or for what it asks. */
  async #attend(call: AskedCall, parked: SuspendedCall): Promise<CallResult | InputRequiredResult> {
    const next = await parked.next(call.context);
    if ("content" in next) return next;
    const { token, id } = this.#tokens.issue(callText(call), this.#answerMs);
    this.#parked.set(id, parked);
    parked.expireIn(this.#answerMs, () => this.#parked.delete(id));
    const inputRequests = Object.fromEntries(
      [...next.questions].map(([key, question]) => [
        key,
        question.mode === "url"
          ? inputRequired.elicitUrl({ message: question.message, url: question.url })
          : inputRequired.elicit(question as Parameters<typeof inputRequired.elicit>[0]),
      ]),
    );
    return inputRequired({ inputRequests, requestState: token });
  }
}

/** The data that a token is bound to. */
function callText({ name, args, client }: AskedCall): string {
  return canonicalJson([name, args ?? {}, client ?? null]);
}

function answerFrom(responses: Record<string, unknown> | undefined, key: string): Answer {
  const view = inputResponse(responses, key);
  if (view.kind !== "elicit") return { action: "unasked", reason: "the client sent no answer" };
  if (view.action !== "accept") return { action: view.action };
  return { action: "accept", ...(view.content === undefined ? {} : { content: view.content }) };
}
