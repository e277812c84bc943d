/**
 * START HERE for one request of the page: path → guard → limits → body → answer. `answers.ts` reads data,
 * `running_call.ts` makes calls.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf } from "../errors.ts";
import { log } from "../log.ts";
import { errorReply, type HttpReply, jsonReply, refuse } from "../server/http/answer.ts";
import { readBody } from "../server/http/exchange.ts";
import { defaultHttpLimits, type HttpLimits, Ledger } from "../server/http/limits.ts";
import type { Lifetime } from "../server/lifetime.ts";
import type { Answer } from "../tool/runner.ts";
import { dryRun, type PageSources, readers } from "./answers.ts";
import type { Guard, Wish } from "./guard.ts";
import { pageFile, safeHeaders } from "./page_files.ts";
import { PageCalls, Questions, runCall } from "./running_call.ts";
import { isObject } from "../text/own_property.ts";

/** The limits of the page's port: one person, a few tabs. */
export const uiLimits: HttpLimits = {
  ...defaultHttpLimits,
  connections: 64,
  bodyBytes: 1024 * 1024,
  acceptedBytes: 4 * 1024 * 1024,
  requests: 32,
  requestsPerClient: 32,
};

/** The data and actions for requests. */
export interface UiHandlerOptions {
  readonly sources: PageSources;
  readonly guard: Guard;
  readonly lifetime: Lifetime;
}

/** Creates a handler of the page's requests. */
export function createUiHandler(
  { sources, guard, lifetime }: UiHandlerOptions,
): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  const ledger = new Ledger(uiLimits);
  const questions = new Questions();
  const running = new PageCalls();
  const place = { context: sources.session, lifetime, questions, running };

  async function write(
    path: string,
    req: IncomingMessage,
    res: ServerResponse,
  ): Promise<HttpReply | undefined> {
    if (lifetime.stop.signal.aborted) return errorReply(503, "The program is shutting down");
    const leave = ledger.enter("");
    if (typeof leave === "number") return errorReply(leave, "Too many requests at once");
    try {
      const body = await readBody(req, { ledger, limits: uiLimits, client: "" });
      if ("reply" in body) return body.reply;
      ledger.release("", body.bytes);
      if (path === "/api/answer") {
        const { id, answer } = readAnswer(body.value);
        return questions.answer(id, answer)
          ? jsonReply(200, {})
          : errorReply(404, "No such question, or its call has ended");
      }
      const request = readRequest(body.value);
      if (request === undefined) {
        return errorReply(400, "Expected an object with 'tool' and 'args'");
      }
      if (path === "/api/dry-run") return jsonReply(200, await dryRun(sources, request));
      await runCall({ ...request, refusesUnknown: true }, res, place);
      return undefined;
    } finally {
      leave();
    }
  }

  async function replyTo(
    req: IncomingMessage,
    res: ServerResponse,
  ): Promise<HttpReply | undefined> {
    const [path = "", query = ""] = (req.url ?? "").split(/\?([^]*)/);
    const wish = wishOf(path);
    if (wish === undefined) return errorReply(404, "Not found");
    const refused = guard(req, wish);
    if (refused !== undefined) return refused;
    const method = wish === "write" ? "POST" : "GET";
    if (req.method !== method) {
      return errorReply(405, `Only ${method} is answered here`, { allow: method });
    }
    if (wish === "page") return pageFile(path);
    if (wish === "write") return await write(path, req, res);
    const value = await readers.get(path)!({ ...sources, running }, new URLSearchParams(query));
    return value === undefined ? errorReply(404, "Unknown tool") : jsonReply(200, value);
  }

  return async (req, res) => {
    for (const [name, value] of Object.entries(safeHeaders)) res.setHeader(name, value);
    try {
      const reply = await replyTo(req, res);
      if (reply !== undefined) refuse(req, res, reply);
    } catch (error) {
      log("error", `ui: ${messageOf(error)}`);
      refuse(req, res, errorReply(500, "Internal server error: see the log"));
      if (!res.writableEnded) res.destroy();
    }
  };
}

const writers = new Set(["/api/call", "/api/dry-run", "/api/answer"]);

function wishOf(path: string): Wish | undefined {
  if (writers.has(path)) return "write";
  if (readers.has(path)) return "read";
  return pageFile(path) === undefined ? undefined : "page";
}

function readRequest(
  value: unknown,
): { readonly tool: string; readonly args: unknown } | undefined {
  const { tool, args } = (value ?? {}) as { readonly tool?: unknown; readonly args?: unknown };
  return typeof tool === "string" ? { tool, args } : undefined;
}

/** Anything but an explicit yes is a no. */
function readAnswer(value: unknown): { readonly id: string; readonly answer: Answer } {
  const { id, action, content } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return {
    id: typeof id === "string" ? id : "",
    answer: action === "accept" && isObject(content)
      ? { action, content }
      : { action: action === "cancel" ? "cancel" : "decline" },
  };
}
