/** Converts an HTTP exchange between the streams of Node and the web streams of the SDK. */

import type { IncomingMessage, ServerResponse } from "node:http";

/** Headers of one connection (RFC 9110, section 7.6.1), which Node handles. */
const connectionHeaders = [
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** The web request for `req` and its body; aborted when the client disconnects, or by `until`. */
export function webRequest(
  req: IncomingMessage,
  res: ServerResponse,
  until?: AbortSignal,
): Request {
  const headers = new Headers();
  for (let at = 0; at + 1 < req.rawHeaders.length; at += 2) {
    headers.append(req.rawHeaders[at]!, req.rawHeaders[at + 1]!);
  }
  // The body is passed parsed, so its length is wrong
  for (const name of ["content-length", ...connectionHeaders]) headers.delete(name);
  const disconnected = new AbortController();
  res.on("close", () => {
    if (!res.writableFinished) disconnected.abort();
  });
  const signal = until === undefined
    ? disconnected.signal
    : AbortSignal.any([disconnected.signal, until]);
  const method = req.method ?? "GET";
  const init = method === "POST" ? { body: "" } : {};
  return new Request(`http://localhost${req.url}`, {
    method,
    headers,
    signal,
    ...init,
  });
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
  // The client decides whether the connection stays open, not the SDK
  for (const name of connectionHeaders) response.headers.delete(name);
  res.writeHead(response.status, Object.fromEntries(response.headers));
  // A stream may have nothing to say for long
  if (res.req.method === "GET") res.flushHeaders();
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const next = await Promise.race([reader?.read(), closed.promise]);
      if (next === undefined || next.done) break;
      unsent(next.value.length);
      try {
        await write(res, next.value, closed.promise);
      } finally {
        unsent(-next.value.length);
      }
    }
  } catch {
    // The client must see that the answer is incomplete
    res.destroy();
  }
  await reader?.cancel().catch(() => {});
  if (res.destroyed) return;
  res.end();
  await closed.promise;
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
