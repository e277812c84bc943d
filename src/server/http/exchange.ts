/** One HTTP exchange between Node's streams and the web's, which the SDK's handlers speak. */

import type { IncomingMessage, ServerResponse } from "node:http";

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
  // The body is handed over parsed, and these would speak of another one
  for (const name of ["content-length", "transfer-encoding", "connection"]) headers.delete(name);
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

/** Settings of {@linkcode sendResponse}. */
export interface SendOptions {
  /** Told of bytes that wait to be read, and, below zero, of those that were. */
  readonly unsent: (bytes: number) => void;
  /** Milliseconds that the client may read nothing. */
  readonly stalledMs: number;
}

/** Sends `response`; resolves when the client has all of it, or has gone. */
export async function sendResponse(
  res: ServerResponse,
  response: Response,
  { unsent, stalledMs }: SendOptions,
): Promise<void> {
  if (res.destroyed) return void await response.body?.cancel().catch(() => {});
  const closed = Promise.withResolvers<void>();
  res.on("close", closed.resolve);
  res.writeHead(response.status, Object.fromEntries(response.headers));
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const next = await Promise.race([reader?.read(), closed.promise]);
      if (next === undefined || next.done) break;
      unsent(next.value.length);
      try {
        await write(res, next.value, { closed: closed.promise, stalledMs });
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
  await within(closed.promise, stalledMs, () => res.destroy());
}

async function write(
  res: ServerResponse,
  bytes: Uint8Array,
  { closed, stalledMs }: { readonly closed: Promise<void>; readonly stalledMs: number },
): Promise<void> {
  const drained = Promise.withResolvers<void>();
  res.once("drain", drained.resolve);
  if (!res.write(bytes)) {
    await within(Promise.race([drained.promise, closed]), stalledMs, () => res.destroy());
  }
  res.off("drain", drained.resolve);
}

/** Waits for `promise`, or else says that it is `late`. */
async function within(promise: Promise<void>, ms: number, late: () => void): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    late();
    over.resolve();
  }, ms);
  await Promise.race([promise, over.promise]);
  clearTimeout(timer);
}
