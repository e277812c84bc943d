/** Makes one call for the page, streaming its events as lines of JSON. A page that is closed cancels its call. */

import type { ServerResponse } from "node:http";
import { abortable } from "../async/deadline.ts";
import { call } from "../call/call.ts";
import type { CallContext } from "../call/context.ts";
import type { CallRequest } from "../call/pipeline.ts";
import { wants } from "../call/question.ts";
import type { Lifetime } from "../server/lifetime.ts";
import { type CallResult, textOf } from "../tool/result.ts";
import type { Answer } from "../tool/runner.ts";
import { climax } from "../process/own_command.ts";

/** The page gets at most this many characters of a result, and the number of those that were left out. */
const shownCharacters = 1_000_000;

/** If the page has this many unread bytes of a call, further progress is dropped. */
const unreadBytes = 256 * 1024;

export class Questions {
  readonly #open = new Map<string, (answer: Answer) => void>();

  /** Shows a question on the page by `send`, and waits for the answer, which is `cancel` if `signal` aborts. */
  async ask(send: (id: string) => void, signal: AbortSignal): Promise<Answer> {
    const id = crypto.randomUUID();
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#open.set(id, resolve);
    if (!signal.aborted) send(id);
    const answer = await abortable(promise, signal);
    this.#open.delete(id);
    return answer === "aborted" ? { action: "cancel" } : answer;
  }

  answer(id: string, answer: Answer): boolean {
    const resolve = this.#open.get(id);
    resolve?.(answer);
    return resolve !== undefined;
  }
}

/** The running calls that any tab of the page has started, newest first. */
export class PageCalls {
  readonly #calls = new Set<{ readonly tool: string; readonly startedAt: number }>();

  add(tool: string): () => void {
    const call = { tool, startedAt: performance.now() };
    this.#calls.add(call);
    return () => void this.#calls.delete(call);
  }

  list(): readonly object[] {
    const now = performance.now();
    return [...this.#calls].reverse().map(({ tool, startedAt }) => {
      return { tool, running_ms: Math.round(now - startedAt) };
    });
  }
}

export interface CallPlace {
  readonly context: CallContext;
  readonly lifetime: Lifetime;
  readonly questions: Questions;
  readonly running: PageCalls;
}

export async function runCall(
  request: CallRequest,
  res: ServerResponse,
  { context, lifetime, questions, running: calls }: CallPlace,
): Promise<void> {
  const gone = new AbortController();
  res.once("close", () => gone.abort());
  const following = lifetime.stop.linkSignal(gone.signal);
  const { signal } = following;
  const send = (line: object) => {
    if (!res.destroyed) res.write(`${JSON.stringify(line)}\n`);
  };
  res.writeHead(200, { "content-type": "application/x-ndjson; charset=utf-8" });
  res.flushHeaders();
  const end = calls.add(request.tool);
  const running = call(context, request, {
    signal,
    forceSignal: lifetime.forceEnd,
    client: "climax ui",
    failureLevel: "info",
    onProgress(progress) {
      if (res.writableLength < unreadBytes) send({ progress });
    },
    async ask(question, _, plan) {
      if (question.mode !== "form") {
        return { action: "unasked", reason: `the page of ${climax()} ui opens no other address` };
      }
      const { requestedSchema } = question;
      const message = question.message.replace(`\n${wants}`, "\nYou call");
      const run = plan !== undefined;
      const show = (id: string) => send({ ask: { id, message, requestedSchema, run } });
      return await questions.ask(show, signal);
    },
  });
  lifetime.track(running);
  const result = await running.finally(() => {
    end();
    following.unfollow();
  });
  send({ result: pageResult(result) });
  res.end();
}

function pageResult(result: CallResult): object {
  const { isError, structured, record } = result;
  const json = structured && cut(JSON.stringify(structured, null, 2));
  return { isError, ...cut(textOf(result)), record, structured: json };
}

function cut(text: string): { readonly text: string; readonly left: number } {
  const kept = text.slice(0, shownCharacters).toWellFormed();
  return { text: kept, left: text.length - kept.length };
}
