/** One HTTP exchange between Node's streams and the web's, which the SDK's handlers speak. */

import type { IncomingMessage, ServerResponse } from "node:http";

/** Headers that are between two ends of one connection (RFC 9110, section 7.6.1), which is Node's. */
const ofConnection = [
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** A web request for `req`, whose body was read; aborted when the client goes, or by `until`. */
export function webRequest(
  req: IncomingMessage,
  res: ServerResponse,
  until?: AbortSignal,
): Request {
  const headers = new Headers();
  for (let at = 0; at + 1 < req.rawHeaders.length; at += 2) {
    headers.append(req.rawHeaders[at]!, req.rawHeaders[at + 1]!);
  }
  // The body is handed over parsed, and its length would speak of another one
  for (const name of ["content-length", ...ofConnection]) headers.delete(name);
  const gone = new AbortController();
  res.on("close", () => {
    if (!res.writableFinished) gone.abort();
  });
  const signal = until === undefined ? gone.signal : AbortSignal.any([gone.signal, until]);
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
 * Sends `response`; resolves when the client has all of it, or has gone. `unsent` is told of bytes that
 * wait to be read, and, below zero, of those that were.
 */
export async function sendResponse(
  res: ServerResponse,
  response: Response,
  unsent: (bytes: number) => void,
): Promise<void> {
  if (res.destroyed) return void await response.body?.cancel().catch(() => {});
  const closed = Promise.withResolvers<void>();
  res.on("close", closed.resolve);
  // Whether the connection stays open is what the client asked for, and not what the SDK would like
  for (const name of ofConnection) response.headers.delete(name);
  res.writeHead(response.status, Object.fromEntries(response.headers));
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
    // The answer cannot be completed any more; the client has to see that it is not
    res.destroy();
  }
  await reader?.cancel().catch(() => {});
  if (res.destroyed) return;
  res.end();
  await closed.promise;
}

/** Bytes that are written at once: the listener sees by them whether a slow client reads at all. */
const sliceBytes = 64 * 1024;

/** Writes `bytes`; the listener closes the connection of a client that does not read them. */
async function write(res: ServerResponse, bytes: Uint8Array, closed: Promise<void>): Promise<void> {
  for (let at = 0; at < bytes.length && !res.destroyed; at += sliceBytes) {
    if (res.write(bytes.subarray(at, at + sliceBytes))) continue;
    const drained = Promise.withResolvers<void>();
    res.once("drain", drained.resolve);
    await Promise.race([drained.promise, closed]);
    res.off("drain", drained.resolve);
  }
}
