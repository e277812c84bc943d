/** START HERE for the page: opens its port, and answers each request: path → guard → limits → body → answer. */

import { listen } from "../server/http/listener.ts";
import { type Lifetime, serveThrough } from "../server/lifetime.ts";
import { dryRun, type PageSources, readers } from "./answers.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import { approvalChoices } from "../call/approvals.ts";
import { messageOf } from "../errors.ts";
import { log } from "../log.ts";
import { errorReply, type HttpReply, jsonReply, refuse } from "../server/http/answer.ts";
import { readBody } from "../server/http/exchange.ts";
import { ClientLimits, defaultHttpLimits, type HttpLimits } from "../server/http/limits.ts";
import type { Answer } from "../tool/runner.ts";
import { PageCalls, Questions, runCall } from "./running_call.ts";
import { isObject } from "../text/own_property.ts";
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { quote } from "../text/excerpt.ts";
import type { Address } from "../process/address.ts";
import { nameCheck } from "../server/http/addresses.ts";
import { climax } from "../process/own_command.ts";
import html from "./page/index.html" with { type: "text" };
import waitingIcon from "./page/icon-waiting.svg" with { type: "text" };
import icon from "./page/icon.svg" with { type: "text" };
import pageCss from "./page/page.css" with { type: "text" };
import controlsCss from "./page/controls.css" with { type: "text" };
import tablesCss from "./page/tables.css" with { type: "text" };
import viewsCss from "./page/views.css" with { type: "text" };
import main from "./page/main.js" with { type: "text" };
import api from "./page/api.js" with { type: "text" };
import dom from "./page/dom.js" with { type: "text" };
import catalogue from "./page/catalogue.js" with { type: "text" };
import tool from "./page/tool.js" with { type: "text" };
import answer from "./page/answer.js" with { type: "text" };
import output from "./page/output.js" with { type: "text" };
import form from "./page/form.js" with { type: "text" };
import call from "./page/call.js" with { type: "text" };
import activity from "./page/activity.js" with { type: "text" };
import calls from "./page/calls.js" with { type: "text" };
import policy from "./page/policy.js" with { type: "text" };
import waiting from "./page/waiting.js" with { type: "text" };
import costs from "./page/costs.js" with { type: "text" };

/** The page is served on the loopback interface only, and the system chooses the port. */
const address = { host: "127.0.0.1", port: 0 };

interface UiOptions {
  readonly sources: PageSources;
  /** Called with the page's address, which includes the token, when the port is open. */
  readonly onListening: (url: string) => void;
}

/** Serves the page; resolves when every call has ended and `release` has closed what calls used. */
export async function serveUi(options: UiOptions, release: () => Promise<void>): Promise<void> {
  await serveThrough((lifetime) => openPort(options, lifetime), release);
}

async function openPort({ sources, onListening }: UiOptions, lifetime: Lifetime) {
  const closed = Promise.withResolvers<void>();
  const token = randomBytes(32).toString("base64url");
  const listener = await listen(
    { address, limits: uiLimits },
    (req, res) => handler.handle(req, res),
  );
  // The guard compares hosts and origins with the port, which is known only now
  const handler = new UiHandler({ sources, guard: guard(listener.address, token), lifetime });
  const { host, port } = listener.address;
  // Browsers send the part of an address after # to no server, so the token is in no log
  onListening(`http://${host}:${port}/#token=${token}`);
  return {
    closed: closed.promise,
    async close() {
      const closing = listener.close();
      // Running calls are ended now, and their pages hear of it while the connections are open
      closed.resolve();
      await closing;
    },
  };
}

/** Limits of the page's port, for one person with a few tabs. */
const uiLimits: HttpLimits = {
  ...defaultHttpLimits,
  connections: 64,
  bodyBytes: 1024 * 1024,
  acceptedBytes: 4 * 1024 * 1024,
  requests: 32,
  requestsPerClient: 32,
};

interface UiHandlerOptions {
  readonly sources: PageSources;
  readonly guard: Guard;
  readonly lifetime: Lifetime;
}

class UiHandler {
  readonly #options: UiHandlerOptions;
  readonly #limits = new ClientLimits(uiLimits);
  readonly #questions = new Questions();
  readonly #running = new PageCalls();

  constructor(options: UiHandlerOptions) {
    this.#options = options;
  }

  async handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(safeHeaders)) res.setHeader(name, value);
    try {
      const reply = await this.#replyTo(req, res);
      if (reply !== undefined) refuse(req, res, reply);
    } catch (error) {
      log("error", `ui: ${messageOf(error)}`);
      refuse(req, res, errorReply(500, "Internal server error: see the log"));
      if (!res.writableEnded) res.destroy();
    }
  }

  async #replyTo(req: IncomingMessage, res: ServerResponse): Promise<HttpReply | undefined> {
    const { sources, guard } = this.#options;
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
    if (wish === "write") return await this.#write(path, req, res);
    const state = { ...sources, running: this.#running };
    return jsonReply(200, await readers.get(path)!(state, new URLSearchParams(query)));
  }

  async #write(path: string, req: IncomingMessage, res: ServerResponse) {
    if (this.#options.lifetime.stop.signal.aborted) {
      return errorReply(503, "The program is shutting down");
    }
    const leave = this.#limits.enter("");
    if (typeof leave === "number") return errorReply(leave, "Too many requests at once");
    try {
      const body = await readBody(req, {
        clientLimits: this.#limits,
        limits: uiLimits,
        client: "",
      });
      if ("reply" in body) return body.reply;
      this.#limits.release("", body.bytes);
      if (path === "/api/answer") return this.#answer(body.value);
      if (path === "/api/approve") return await this.#approve(body.value);
      return await this.#call(path, body.value, res);
    } finally {
      leave();
    }
  }

  #answer(value: unknown): HttpReply {
    const { id, action, content } = (value ?? {}) as Readonly<Record<string, unknown>>;
    // Only an explicit yes counts as agreement: any other value declines
    const answer: Answer = action === "accept" && isObject(content)
      ? { action, content }
      : { action: action === "cancel" ? "cancel" : "decline" };
    return this.#questions.answer(String(id), answer)
      ? jsonReply(200, {})
      : errorReply(404, "No such question, or its call has ended");
  }

  async #approve(value: unknown): Promise<HttpReply> {
    const { approvals, approver } = this.#options.sources;
    const { id, choice } = (value ?? {}) as Readonly<Record<string, unknown>>;
    const chosen = approvalChoices.find((each) => each === choice);
    const answered = chosen && await approvals?.answer(String(id), chosen, approver);
    return answered ? jsonReply(200, {}) : errorReply(404, "No such call waits any more");
  }

  async #call(path: string, value: unknown, res: ServerResponse): Promise<HttpReply | undefined> {
    const { sources, lifetime } = this.#options;
    const { tool, args } = (value ?? {}) as { readonly tool?: unknown; readonly args?: unknown };
    if (typeof tool !== "string") {
      return errorReply(400, "Expected an object with 'tool' and 'args'");
    }
    const request = { tool, args };
    if (path === "/api/dry-run") return jsonReply(200, await dryRun(sources, request));
    const [questions, running] = [this.#questions, this.#running];
    const place = { context: sources.session, lifetime, questions, running };
    await runCall({ ...request, refusesUnknown: true }, res, place);
    return undefined;
  }
}

const writers = new Set(["/api/call", "/api/dry-run", "/api/answer", "/api/approve"]);

function wishOf(path: string): Wish | undefined {
  if (writers.has(path)) return "write";
  if (readers.has(path)) return "read";
  return pageFile(path) === undefined ? undefined : "page";
}

/** The header that carries the token. Forms, and pages of other origins, cannot send it. */
const tokenHeader = "x-climax-token";

/** A request wants the page itself, which contains no data, or to read data, or to act. */
type Wish = "page" | "read" | "write";

/** Returns the reply to a request that is refused; `undefined` if it is allowed. */
type Guard = (req: IncomingMessage, wish: Wish) => HttpReply | undefined;

/**
 * Guards the port at the loopback `address`. Any page in a browser can send requests here, if its owner points a host
 * name to 127.0.0.1, and so can any local program. None of them knows the token, and no page of another origin can send
 * it.
 */
function guard(address: Address, token: string): Guard {
  const checkNames = nameCheck(address, { hosts: [], origins: [] });
  const origins = new Set(
    ["127.0.0.1", "localhost", "[::1]"].map((host) => `http://${host}:${address.port}`),
  );
  const expected = digest(token);
  return (req, wish) => {
    const { host, origin } = req.headers;
    if (checkNames(host, undefined) !== undefined) {
      return errorReply(403, `Requests for the host ${quote(host ?? "")} are not answered`);
    }
    const isForeign = origin !== undefined && !origins.has(origin) || isCrossSite(req);
    if (wish === "page") return isForeign ? foreign(origin) : undefined;
    if (isForeign || wish === "write" && origin === undefined) return foreign(origin);
    const given = req.headers[tokenHeader];
    if (typeof given === "string" && timingSafeEqual(digest(given), expected)) return undefined;
    return errorReply(
      401,
      `The token is missing or wrong: open the address that ${climax()} ui printed`,
    );
  };
}

/** Returns true if the browser says that another origin asks (Fetch Metadata); other clients say nothing. */
function isCrossSite(req: IncomingMessage): boolean {
  const site = req.headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return false;
  // A link on another origin may open the page, which contains no data and has no token then
  return req.headers["sec-fetch-mode"] !== "navigate";
}

function foreign(origin: string | undefined): HttpReply {
  const from = origin === undefined ? "without an origin" : `from pages of ${quote(origin)}`;
  return errorReply(403, `Requests ${from} are not answered`);
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}

/** These headers limit what the page may load and do in the browser (Content Security Policy and others). */
const safeHeaders: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
    "connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

const style = "text/css; charset=utf-8";
const script = "text/javascript; charset=utf-8";

const files: ReadonlyMap<string, readonly [type: string, text: string]> = new Map([
  ["/", ["text/html; charset=utf-8", html]],
  ["/icon.svg", ["image/svg+xml", icon]],
  ["/icon-waiting.svg", ["image/svg+xml", waitingIcon]],
  ["/page.css", [style, pageCss]],
  ["/controls.css", [style, controlsCss]],
  ["/tables.css", [style, tablesCss]],
  ["/views.css", [style, viewsCss]],
  ["/main.js", [script, main]],
  ["/api.js", [script, api]],
  ["/dom.js", [script, dom]],
  ["/catalogue.js", [script, catalogue]],
  ["/tool.js", [script, tool]],
  ["/answer.js", [script, answer]],
  ["/output.js", [script, output]],
  ["/form.js", [script, form]],
  ["/call.js", [script, call]],
  ["/activity.js", [script, activity]],
  ["/calls.js", [script, calls]],
  ["/policy.js", [script, policy]],
  ["/costs.js", [script, costs]],
  ["/waiting.js", [script, waiting]],
]);

export function pageFile(path: string): HttpReply | undefined {
  // Browsers request this icon even if the page names another one
  if (path === "/favicon.ico") return { status: 204 };
  const file = files.get(path);
  if (file === undefined) return undefined;
  const [type, body] = file;
  return { status: 200, headers: { "content-type": type }, body };
}
