/** Receives the code after a login in a browser: on a port of this machine, or in the address that a person pastes. */

import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import { deadline } from "../../../async/deadline.ts";

export type CallbackAnswer =
  | { readonly code: string; readonly iss: string | undefined }
  /** The login was refused: the error code (RFC 6749, section 4.1.2.1), and the issuer that the answer names. */
  | { readonly error: string; readonly iss: string | undefined };

interface Callback extends AsyncDisposable {
  readonly redirectUrl: string;
  readonly answer: Promise<CallbackAnswer>;
}

const path = "/callback";

/** When a login ends, its port is closed within this many milliseconds, even if a browser stays connected. */
const lingerMs = 1000;

/** Opens a random port of this machine, on which only an answer with this `state` is accepted. */
export function openCallback(state: string): Callback {
  const answer = Promise.withResolvers<CallbackAnswer>();
  let isAnswered = false;
  const closing = new AbortController();
  const where = { hostname: "127.0.0.1", port: 0, onListen: () => {}, signal: closing.signal };
  const server = Deno.serve(where, (request) => {
    const url = new URL(request.url);
    const isOwn = request.method === "GET" && url.pathname === path &&
      request.headers.get("host") === new URL(redirectUrl).host;
    if (!isOwn) return page("Not found", 404);
    if (isAnswered) return page("This login has its answer already", 410);
    const read = readAnswer(url, state);
    if ("reason" in read) return page("This is not the answer to the login that waits", 400);
    isAnswered = true;
    answer.resolve(read);
    return page("climax has the answer: look at the terminal. This window can be closed", 200);
  });
  const redirectUrl = `http://127.0.0.1:${server.addr.port}${path}`;
  return {
    redirectUrl,
    answer: answer.promise,
    async [Symbol.asyncDispose]() {
      if (await deadline(server.shutdown(), lingerMs) === "timed out") closing.abort();
    },
  };
}

export function parsePasted(
  pasted: string,
  state: string,
): CallbackAnswer | { readonly reason: string } {
  const url = URL.parse(pasted.trim());
  return url === null ? { reason: "it is not an address" } : readAnswer(url, state);
}

function readAnswer(
  { searchParams }: URL,
  state: string,
): CallbackAnswer | { readonly reason: string } {
  const one = (name: string) => {
    const values = searchParams.getAll(name);
    return values.length === 1 ? values[0]! : undefined;
  };
  if (!isEqual(one("state") ?? "", state)) {
    return { reason: "it is not the answer to this login: its 'state' is another one" };
  }
  const [code, error, iss] = [one("code"), one("error"), one("iss")];
  if (error !== undefined) return { error, iss };
  if (code === undefined || code === "") return { reason: "it has no code" };
  return { code, iss };
}

function isEqual(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function page(text: string, status: number): Response {
  const html = `<!doctype html><meta charset="utf-8"><title>climax</title><p>${text}</p>\n`;
  return new Response(html, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      "connection": "close",
    },
  });
}
