/** Converts an HTTP exchange between the streams of Node and the web streams of the SDK. */

import type { IncomingMessage, ServerResponse } from "node:http";

/** Headers of one connection (RFC 9110, section 7.6.1), which Node handles. */
const connectionHeaders: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Also the length of the body, which is passed parsed, beside the request. */
const ownHeaders: ReadonlySet<string> = new Set([...connectionHeaders, "content-length"]);

/** Has the signal itself: `Request` would make one that follows it, which garbage collection finds late. */
class AbortableRequest extends Request {
  readonly #signal: AbortSignal;

  constructor(url: string, init: RequestInit, signal: AbortSignal) {
    super(url, init);
    this.#signal = signal;
  }

  override get signal(): AbortSignal {
    return this.#signal;
  }
}

/** The web request for `req`, without its body; aborted when the client disconnects, or by `until`. */
export function webRequest(
  req: IncomingMessage,
  res: ServerResponse,
  until?: AbortSignal,
): Request {
  const disconnected = new AbortController();
  res.on("close", () => {
    if (!res.writableFinished) disconnected.abort();
  });
  const signal = until === undefined
    ? disconnected.signal
    : AbortSignal.any([disconnected.signal, until]);
  const init = { method: req.method ?? "GET" };
  const request = new AbortableRequest(`http://localhost${req.url}`, init, signal);
  // `init` would have them copied into lists
  for (let at = 0; at + 1 < req.rawHeaders.length; at += 2) {
    const name = req.rawHeaders[at]!;
    if (!ownHeaders.has(name.toLowerCase())) request.headers.append(name, req.rawHeaders[at + 1]!);
  }
  return request;
}

/**
 * Sends `response`; resolves when the client has read all of it, or has disconnected. Calls `unsent` with the bytes that
 * wait, and negative numbers for bytes that were read.
 */
export async function sendResponse(
  res: ServerResponse,
  response: Response,
  unsent: (bytes: number) => void,
): Promise<void> {
  if (res.destroyed) return void await response.body?.cancel().catch(() => {});
  const closed = Promise.withResolvers<void>();
  res.on("close", closed.resolve);
  const headers: Record<string, string> = {};
  for (const [name, value] of response.headers) {
    // The client decides whether the connection stays open, not the SDK
    if (!connectionHeaders.has(name)) headers[name] = value;
  }
  const { status } = response;
  const send = async (bytes: Uint8Array) => {
    unsent(bytes.length);
    try {
      await write(res, bytes, closed.promise);
    } finally {
      unsent(-bytes.length);
    }
  };
  try {
    if (headers["content-type"] === "application/json") {
      // It is complete, and needs one write if its length is known
      const bytes = await response.bytes();
      headers["content-length"] = String(bytes.length);
      res.writeHead(status, headers);
      await send(bytes);
    } else {
      // Nothing may come for long
      if (res.req.method === "GET") res.writeHead(status, headers).flushHeaders();
      for await (const bytes of piecesOf(response.body, closed.promise)) {
        // At the end of serving, an answer without a head becomes the last one of its connection
        if (!res.headersSent) res.writeHead(status, headers);
        await send(bytes);
      }
      if (!res.headersSent) res.writeHead(status, headers);
    }
  } catch {
    // The client must see that the answer is incomplete
    res.destroy();
  }
  if (res.destroyed) return;
  res.end();
  await closed.promise;
}

/** The pieces of `body`, until its client has disconnected. */
async function* piecesOf(
  body: ReadableStream<Uint8Array> | null,
  closed: Promise<void>,
): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  const read = () => Promise.race([reader?.read(), closed]);
  try {
    for (let next = await read(); next?.value !== undefined; next = await read()) yield next.value;
  } finally {
    await reader?.cancel().catch(() => {});
  }
}

/** Bytes of one write: the listener detects by them that a slow client reads. */
const sliceBytes = 64 * 1024;

/** The listener closes the connection of a client that does not read. */
async function write(res: ServerResponse, bytes: Uint8Array, closed: Promise<void>): Promise<void> {
  for (let at = 0; at < bytes.length && !res.destroyed; at += sliceBytes) {
    if (res.write(bytes.subarray(at, at + sliceBytes))) continue;
    const drained = Promise.withResolvers<void>();
    res.once("drain", drained.resolve);
    await Promise.race([drained.promise, closed]);
    res.off("drain", drained.resolve);
  }
}
