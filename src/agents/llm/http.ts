/** How providers are asked over HTTP: bounded, and never led elsewhere with the key in hand. */

import { excessOf, scanMessage } from "../../text/message_scan.ts";

/** Bytes of an answer that are read. */
const maxResponseBytes = 32 * 1024 * 1024;

/** `fetch` for the SDK: no redirects, bodies bounded as messages are, connection failures as it knows them. */
export async function boundedFetch(
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  let response: Response;
  try {
    // A redirect would carry the key's header to whatever host it names
    response = await fetch(input, { ...init, redirect: "error" });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // The SDK recognizes a network failure by these words only, and tries again
    throw new TypeError("fetch failed", { cause: error });
  }
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const bytes = await new Response(body.pipeThrough(atMost(maxResponseBytes))).bytes();
  // Parsing one that was made to be large would take the memory of all that is served
  const excess = excessOf(scanMessage(bytes));
  if (excess !== undefined) throw new Error(`The answer has ${excess}`);
  return new Response(bytes, { status, statusText, headers });
}

function atMost(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes <= maxBytes) controller.enqueue(chunk);
      else controller.error(new Error(`The answer is over ${maxBytes} bytes`));
    },
  });
}
