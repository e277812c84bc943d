/** The body of a request, read within bounds, and the value in it. */

import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { excessOf, scanMessage } from "../../text/message_scan.ts";
import { errorReply } from "./answer.ts";
import type { Refused } from "./client.ts";
import type { HttpLimits, Ledger } from "./limits.ts";

/** A body that was read. */
export interface Body {
  readonly value: unknown;
  /** Bytes that the ledger holds for it. */
  readonly bytes: number;
}

/** Where bodies are accounted for. */
interface Bounds {
  readonly ledger: Ledger;
  readonly limits: HttpLimits;
}

/** Reads and parses the body of `req`; the ledger holds its bytes until they are given back. */
export async function readBody(req: IncomingMessage, bounds: Bounds): Promise<Body | Refused> {
  const read = await readBytes(req, bounds);
  const value = read.refused === undefined ? parse(read.bytes) : read.refused;
  if ("reply" in value) {
    bounds.ledger.give(read.held);
    return value;
  }
  return { value: value.parsed, bytes: read.held };
}

interface BytesRead {
  readonly bytes: Uint8Array;
  /** Bytes that the ledger holds. */
  readonly held: number;
  readonly refused?: Refused;
}

function readBytes(req: IncomingMessage, { ledger, limits }: Bounds): Promise<BytesRead> {
  const { promise, resolve } = Promise.withResolvers<BytesRead>();
  const chunks: Uint8Array[] = [];
  let length = 0;
  let held = 0;
  const refuse = (refused: Refused) => {
    req.removeAllListeners("data");
    resolve({ bytes: new Uint8Array(), held, refused });
  };
  const hold = (bytes: number): boolean => {
    if (bytes > limits.bodyBytes) {
      refuse(refusal(413, `The request body is larger than ${limits.bodyBytes} bytes`));
      return false;
    }
    if (bytes <= held) return true;
    if (!ledger.take(bytes - held)) {
      refuse(busy());
      return false;
    }
    held = bytes;
    return true;
  };

  // What is announced is refused before it is sent
  if (!hold(Number(req.headers["content-length"] ?? 0))) return promise;
  req.on("data", (chunk: Uint8Array) => {
    length += chunk.length;
    if (hold(length)) chunks.push(chunk);
  });
  req.on("end", () => resolve({ bytes: Buffer.concat(chunks, length), held }));
  const broken = () => refuse(refusal(400, "The request body was truncated"));
  req.on("error", broken);
  req.on("close", broken);
  return promise;
}

function parse(bytes: Uint8Array): { readonly parsed: unknown } | Refused {
  const excess = excessOf(scanMessage(bytes));
  if (excess !== undefined) return refusal(400, `The body has ${excess}`);
  try {
    return { parsed: JSON.parse(new TextDecoder().decode(bytes)) };
  } catch {
    return refusal(400, "The body is not JSON");
  }
}

function refusal(status: number, message: string): Refused {
  return { reply: errorReply(status, message) };
}

function busy(): Refused {
  const message = "Too many bytes of requests are waiting: try again later";
  return { reply: errorReply(503, message, { "retry-after": "1" }) };
}
