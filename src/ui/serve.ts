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
import { type CallPlace, PageCalls, Questions, runCall } from "./running_call.ts";
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
  /** Receives the page's address, which includes the token, when the port is open. */
  readonly onListening: (url: string) => void;
}

export async function serveUi(options: UiOptions, release: () => Promise<void>): Promise<void> {
  await serveThrough((lifetime) => openPort(options, lifetime), release);
}

async function openPort({ sources, onListening }: UiOptions, lifetime: Lifetime) {
  const closed = Promise.withResolvers<void>();
  const token = randomBytes(32).toString("base64url");
  const listener = await listen({ address, limits: uiLimits }, (req, res) => handle(req, res));
  // The guard compares hosts and origins with the port, which the system has just chosen
  const handle = uiHandler(sources, guard(listener.address, token), lifetime);
  const { host, port } = listener.address;
  // Browsers send the part of an address after # to no server, so the token is in no log
  onListening(`http://${host}:${port}/#token=${token}`);
  return {
    closed: closed.promise,
    async close() {
      const closing = listener.close();
      // Ends the running calls. Their answers still reach the page, because its connections close last
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

type Handler = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

function uiHandler(sources: PageSources, guard: Guard, lifetime: Lifetime): Handler {
  const limits = new ClientLimits(uiLimits);
  const place: CallPlace = {
    ...{ context: sources.session, lifetime },
    ...{ questions: new Questions(), running: new PageCalls() },
  };
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

  async function replyTo(req: IncomingMessage, res: ServerResponse) {
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
    const state = { ...sources, running: place.running };
    return jsonReply(200, await readers.get(path)!(state, new URLSearchParams(query)));
  }

  async function write(path: string, req: IncomingMessage, res: ServerResponse) {
    if (lifetime.stop.signal.aborted) return errorReply(503, "The program is shutting down");
    const leave = limits.enter("");
    if (typeof leave === "number") return errorReply(leave, "Too many requests at once");
    try {
      const body = await readBody(req, { clientLimits: limits, limits: uiLimits, client: "" });
      if ("reply" in body) return body.reply;
      limits.release("", body.bytes);
      const value = (body.value ?? {}) as Body;
      if (path === "/api/answer") return answerQuestion(value, place.questions);
      if (path === "/api/approve") return await approve(value, sources);
      const { tool, args } = value;
      if (typeof tool !== "string") {
        return errorReply(400, "Expected an object with 'tool' and 'args'");
      }
      if (path === "/api/dry-run") return jsonReply(200, await dryRun(sources, { tool, args }));
      await runCall({ tool, args, refusesUnknown: true }, res, place);
      return undefined;
    } finally {
      leave();
    }
  }
}

type Body = Readonly<Record<string, unknown>>;

function answerQuestion({ id, action, content }: Body, questions: Questions): HttpReply {
  // Only an explicit yes agrees; any other answer declines or cancels
  const answer: Answer = action === "accept" && isObject(content)
    ? { action, content }
    : { action: action === "cancel" ? "cancel" : "decline" };
  return questions.answer(String(id), answer)
    ? jsonReply(200, {})
    : errorReply(404, "No such question, or its call has ended");
}

async function approve({ id, choice }: Body, { approvals, approver }: PageSources) {
  const chosen = approvalChoices.find((each) => each === choice);
  const answered = chosen && await approvals?.answer(String(id), chosen, approver);
  return answered ? jsonReply(200, {}) : errorReply(404, "No such call waits any more");
}

const writers = new Set(["/api/call", "/api/dry-run", "/api/answer", "/api/approve"]);

function wishOf(path: string): Wish | undefined {
  if (writers.has(path)) return "write";
  if (readers.has(path)) return "read";
  return pageFile(path) === undefined ? undefined : "page";
}

/** The header with the token. Forms, and pages of other origins, cannot send a header of their own. */
const tokenHeader = "x-climax-token";

/** `page`: a file of the page, without data; `read`: data; `write`: an action. */
type Wish = "page" | "read" | "write";

type Guard = (req: IncomingMessage, wish: Wish) => HttpReply | undefined;

/**
 * Guards the port at the loopback `address` by a token, since any local program can send requests to the port, and so
 * can a web page from a host name that leads to 127.0.0.1.
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
    const words = `The token is missing or wrong: open the address that ${climax()} ui printed`;
    return errorReply(401, words);
  };
}

/** Returns true if a browser says that another origin sends the request (Fetch Metadata). */
function isCrossSite(req: IncomingMessage): boolean {
  const site = req.headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return false;
  // A link on another site may open the page: without the token in its address, the page shows no data
  return req.headers["sec-fetch-mode"] !== "navigate";
}

function foreign(origin: string | undefined): HttpReply {
  const from = origin === undefined ? "without an origin" : `from pages of ${quote(origin)}`;
  return errorReply(403, `Requests ${from} are not answered`);
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}

const safeHeaders: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

/** The page and its files by name; the page itself has the empty name. */
const files: Readonly<Record<string, string>> = {
  ...{ "": html, "icon.svg": icon, "icon-waiting.svg": waitingIcon },
  ...{ "page.css": pageCss, "controls.css": controlsCss, "tables.css": tablesCss },
  ...{ "views.css": viewsCss, "main.js": main, "api.js": api, "dom.js": dom, "tool.js": tool },
  ...{ "catalogue.js": catalogue, "answer.js": answer, "output.js": output, "form.js": form },
  ...{ "call.js": call, "activity.js": activity, "calls.js": calls, "policy.js": policy },
  ...{ "costs.js": costs, "waiting.js": waiting },
};

const types: Readonly<Record<string, string>> = {
  ...{ "": "text/html; charset=utf-8", svg: "image/svg+xml" },
  ...{ css: "text/css; charset=utf-8", js: "text/javascript; charset=utf-8" },
};

export function pageFile(path: string): HttpReply | undefined {
  // Browsers request this icon even if the page names another one
  if (path === "/favicon.ico") return { status: 204 };
  const name = path.slice(1);
  if (!path.startsWith("/") || !Object.hasOwn(files, name)) return undefined;
  const type = types[name.split(".")[1] ?? ""]!;
  return { status: 200, headers: { "content-type": type }, body: files[name]! };
}
