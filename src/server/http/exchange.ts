/** Connects the HTTP streams of Node with the web requests and responses of the SDK, and bounds bodies. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { Buffer } from "node:buffer";
import { withoutNulls } from "../../text/absent.ts";
import { excessOf, scanMessage } from "../../text/message_scan.ts";
import { busy, errorReply, jsonReply } from "./answer.ts";
import { errorAnswer, refuseInexact } from "../receive.ts";
import type { Refused } from "./client.ts";
import type { ClientLimits, HttpLimits } from "./limits.ts";
import { GrowingBuffer } from "../../text/lines.ts";

/** Headers that are meant for one connection only (RFC 9110, section 7.6.1): Node handles them, and the SDK gets none. */
const connectionHeaders: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding"],
  ...["upgrade"],
]);

/** Headers that the SDK does not get: the body is parsed already, so the request has no length. */
const ownHeaders: ReadonlySet<string> = new Set([...connectionHeaders, "content-length"]);

const refused = new WeakSet<ServerResponse>();

export function refuseExchange(res: ServerResponse): void {
  refused.add(res);
  res.destroy();
}

export function onDisconnect(res: ServerResponse, act: (reason: string) => void): void {
  res.on("close", () => {
    if (res.writableFinished) return;
    act(refused.has(res) ? "the client has no access any more" : "the client has disconnected");
  });
}

/** Makes a web request without a body. It aborts when the client disconnects, or when `until` aborts. */
export function webRequest(
  req: IncomingMessage,
  res: ServerResponse,
  until?: AbortSignal,
): Request {
  const disconnected = new AbortController();
  onDisconnect(res, (reason) => disconnected.abort(reason));
  const signal = AbortSignal.any([disconnected.signal, ...until === undefined ? [] : [until]]);
  const init = { method: req.method ?? "GET", signal };
  const request = new Request(`http://localhost${req.url}`, init);
  for (let at = 0; at < req.rawHeaders.length; at += 2) {
    const name = req.rawHeaders[at]!;
    if (!ownHeaders.has(name.toLowerCase())) request.headers.append(name, req.rawHeaders[at + 1]!);
  }
  const { accept = "*/*" } = req.headers;
  // The SDK knows neither `*/*` nor that a missing `Accept` accepts every type, so it gets both types by name
  if (/[*]/.test(accept)) request.headers.set("accept", "application/json, text/event-stream");
  return request;
}

export type Unsent = (bytes: number) => void;

export async function sendBytes(
  res: ServerResponse,
  headers: Readonly<Record<string, string>>,
  answer: Uint8Array | string,
  unsent: Unsent,
  status = 200,
): Promise<void> {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  res.on("close", resolve);
  const length = Buffer.byteLength(answer);
  unsent(length);
  try {
    res.writeHead(status, { ...headers, "content-length": String(length) });
    if (length <= sliceBytes) res.end(answer);
    else {
      await write(res, typeof answer === "string" ? Buffer.from(answer) : answer, closed);
      if (!res.destroyed) res.end();
    }
    await closed;
  } catch {
    // The answer is incomplete, so the client must see a broken connection
    res.destroy();
  } finally {
    unsent(-length);
  }
}

export async function sendResponse(
  res: ServerResponse,
  response: Response,
  unsent: Unsent,
): Promise<void> {
  if (res.destroyed) return void await response.body?.cancel().catch(() => {});
  const headers: Record<string, string> = {};
  for (const [name, value] of response.headers) {
    if (!connectionHeaders.has(name)) headers[name] = value;
  }
  const { status } = response;
  if (headers["content-type"] === "application/json") {
    const bytes = await response.bytes().catch(() => undefined);
    return bytes === undefined
      ? void res.destroy()
      : sendBytes(res, headers, bytes, unsent, status);
  }
  const closed = Promise.withResolvers<void>();
  res.on("close", closed.resolve);
  try {
    // The first event of a GET stream may come late, so the headers are sent now
    if (res.req.method === "GET") res.writeHead(status, headers).flushHeaders();
    for await (const bytes of piecesOf(response.body, closed.promise)) {
      // Headers are sent late: if the server begins to end before, they can still tell the client to close the connection
      if (!res.headersSent) res.writeHead(status, headers);
      unsent(bytes.length);
      await write(res, bytes, closed.promise).finally(() => unsent(-bytes.length));
    }
    if (!res.headersSent) res.writeHead(status, headers);
  } catch {
    // The answer is incomplete, so the client must see a broken connection
    res.destroy();
  }
  if (res.destroyed) return;
  res.end();
  await closed.promise;
}

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

/** One write has at most this many bytes. The listener counts written bytes to detect clients that do not read. */
const sliceBytes = 64 * 1024;

/** Waits while the client does not read; the listener closes connections of clients that never read. */
async function write(res: ServerResponse, bytes: Uint8Array, closed: Promise<void>): Promise<void> {
  for (let at = 0; at < bytes.length && !res.destroyed; at += sliceBytes) {
    if (res.write(bytes.subarray(at, at + sliceBytes))) continue;
    const drained = Promise.withResolvers<void>();
    res.once("drain", drained.resolve);
    await Promise.race([drained.promise, closed]);
    res.off("drain", drained.resolve);
  }
}

interface BodyBounds {
  readonly clientLimits: ClientLimits;
  readonly limits: HttpLimits;
  readonly client: string;
}

/** Reads a body. Its bytes count towards the client's limits until the caller releases them. */
export async function readBody(req: IncomingMessage, bounds: BodyBounds) {
  const buffer = new GrowingBuffer();
  const refused = await fill(buffer, req, bounds);
  const bytes = buffer.length;
  const read = refused ?? parse(buffer.take());
  if (!("reply" in read)) return { value: read.parsed, bytes };
  bounds.clientLimits.release(bounds.client, bytes);
  return read;
}

function fill(
  buffer: GrowingBuffer,
  req: IncomingMessage,
  { clientLimits, limits, client }: BodyBounds,
): Promise<Refused | undefined> {
  const { promise, resolve } = Promise.withResolvers<Refused | undefined>();
  const end = (refused?: Refused) => {
    clearInterval(timer);
    req.off("data", onData).off("end", onEnd).off("error", onBroken).off("close", onBroken);
    resolve(refused);
  };
  const onData = (chunk: Uint8Array) => {
    if (buffer.length + chunk.length > limits.bodyBytes) return end(tooLong(limits));
    const noRoom = clientLimits.accept(client, chunk.length);
    const whose = noRoom === 429 ? "requests of this client" : "requests";
    if (noRoom === undefined) buffer.append(chunk);
    else end({ reply: busy(noRoom, `Too many bytes of ${whose} are waiting`) });
  };
  const onEnd = () => end();
  const onBroken = () => end(refusal(400, "The request body was truncated"));
  let before = 0;
  const timer = setInterval(() => {
    // `setImmediate` lets bytes that have arrived be counted before the rate is checked
    setImmediate(() => {
      const { slowBodyBytes, slowBodyMs } = limits;
      const rate = `${slowBodyBytes} bytes each ${slowBodyMs / 1000} s`;
      const slow = `The body of the request comes too slowly: expected at least ${rate}`;
      if (buffer.length - before < slowBodyBytes) end(refusal(408, slow));
      before = buffer.length;
    });
  }, limits.slowBodyMs);
  req.on("data", onData).on("end", onEnd).on("error", onBroken).on("close", onBroken);
  // A stated length above the bound is refused at once; a smaller one may be wrong, so the bytes are counted too
  if (Number(req.headers["content-length"] ?? 0) > limits.bodyBytes) end(tooLong(limits));
  return promise;
}

const decoder = new TextDecoder();

function parse(bytes: Uint8Array): { readonly parsed: unknown } | Refused {
  const scan = scanMessage(bytes);
  const excess = excessOf(scan);
  if (excess !== undefined) return refusal(400, `The body has ${excess}`);
  try {
    const parsed = withoutNulls(JSON.parse(decoder.decode(bytes)));
    const inexact = refuseInexact(parsed, bytes, scan);
    return inexact ? { reply: jsonReply(400, errorAnswer(inexact)) } : { parsed };
  } catch {
    return refusal(400, "The body is not JSON");
  }
}

function refusal(status: number, message: string): Refused {
  return { reply: errorReply(status, message) };
}

function tooLong({ bodyBytes }: HttpLimits): Refused {
  return refusal(413, `The request body is larger than ${bodyBytes} bytes`);
}
