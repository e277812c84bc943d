/** Reads and parses the body of a request within bounds. */

import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { GrowingBuffer } from "../../text/growing_buffer.ts";
import { excessOf, scanMessage } from "../../text/message_scan.ts";
import { errorReply } from "./answer.ts";
import type { Refused } from "./client.ts";
import type { HttpLimits, Ledger, NoRoom } from "./limits.ts";

export interface Body {
  readonly value: unknown;
  /** Bytes that are reserved in the ledger. */
  readonly bytes: number;
}

export interface BodyBounds {
  readonly ledger: Ledger;
  readonly limits: HttpLimits;
  readonly client: string;
}

/** The bytes stay reserved in the ledger until they are released. */
export async function readBody(req: IncomingMessage, bounds: BodyBounds): Promise<Body | Refused> {
  const read = await readBytes(req, bounds);
  const value = read.refused === undefined ? parse(read.bytes) : read.refused;
  if ("reply" in value) {
    bounds.ledger.release(bounds.client, read.held);
    return value;
  }
  return { value: value.parsed, bytes: read.held };
}

interface BytesRead {
  readonly bytes: Uint8Array;
  /** Bytes that are reserved in the ledger. */
  readonly held: number;
  readonly refused?: Refused;
}

function readBytes(
  req: IncomingMessage,
  { ledger, limits, client }: BodyBounds,
): Promise<BytesRead> {
  // Most bodies arrive with their headers
  if (req.complete) return Promise.resolve(bytesOf(req, { ledger, limits, client }));
  const { promise, resolve } = Promise.withResolvers<BytesRead>();
  const buffer = new GrowingBuffer();
  const end = (refused?: Refused) => {
    clearInterval(timer);
    req.off("data", onData).off("end", onEnd).off("error", onBroken).off("close", onBroken);
    const held = buffer.length;
    const bytes = refused === undefined ? buffer.take() : new Uint8Array();
    resolve({ bytes, held, ...(refused === undefined ? {} : { refused }) });
  };
  const onData = (chunk: Uint8Array) => {
    if (buffer.length + chunk.length > limits.bodyBytes) return end(tooLong(limits));
    const noRoom = ledger.accept(client, chunk.length);
    if (noRoom === undefined) buffer.append(chunk);
    else end(busy(noRoom));
  };
  const onEnd = () => end();
  const onBroken = () => end(refusal(400, "The request body was truncated"));
  let before = 0;
  const timer = setInterval(() => {
    // Bytes that have already arrived are read first
    setImmediate(() => {
      if (buffer.length - before < limits.slowBodyBytes) end(tooSlow(limits));
      before = buffer.length;
    });
  }, limits.slowBodyMs);
  req.on("data", onData).on("end", onEnd).on("error", onBroken).on("close", onBroken);
  // A length beyond the bound is refused before the body is sent; other lengths are not trusted
  if (Number(req.headers["content-length"] ?? 0) > limits.bodyBytes) end(tooLong(limits));
  return promise;
}

/** Those of a request that has arrived. */
function bytesOf(req: IncomingMessage, { ledger, limits, client }: BodyBounds): BytesRead {
  const pieces: Uint8Array[] = [];
  for (let piece = req.read(); piece !== null; piece = req.read()) pieces.push(piece);
  const bytes = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  if (bytes.length > limits.bodyBytes) return { bytes, held: 0, refused: tooLong(limits) };
  const noRoom = ledger.accept(client, bytes.length);
  if (noRoom !== undefined) return { bytes, held: 0, refused: busy(noRoom) };
  return { bytes, held: bytes.length };
}

const decoder = new TextDecoder();

function parse(bytes: Uint8Array): { readonly parsed: unknown } | Refused {
  const excess = excessOf(scanMessage(bytes));
  if (excess !== undefined) return refusal(400, `The body has ${excess}`);
  try {
    return { parsed: JSON.parse(decoder.decode(bytes)) };
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

function tooSlow({ slowBodyBytes, slowBodyMs }: HttpLimits): Refused {
  const rate = `${slowBodyBytes} bytes each ${slowBodyMs / 1000} s`;
  return refusal(408, `The body of the request comes too slowly: expected at least ${rate}`);
}

function busy(status: NoRoom): Refused {
  const whose = status === 429 ? "requests of this client" : "requests";
  const message = `Too many bytes of ${whose} are waiting: try again later`;
  return { reply: errorReply(status, message, { "retry-after": "1" }) };
}
