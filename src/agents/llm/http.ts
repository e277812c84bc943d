/** HTTP requests to providers: with bounds, and without redirects, which could leak the key. */

import { excessOf, scanMessage } from "../../text/message_scan.ts";

/** Most bytes of a response. */
const maxResponseBytes = 32 * 1024 * 1024;

/** `fetch` for the SDK: no redirects, bodies bounded as messages are, connection failures as it knows them. */
export async function boundedFetch(
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  let response: Response;
  try {
    // A redirect would send the header with the key to any host
    response = await fetch(input, { ...init, redirect: "error" });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // The SDK recognises a network failure by this text only, and retries
    throw new TypeError("fetch failed", { cause: error });
  }
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const bytes = await new Response(body.pipeThrough(atMost(maxResponseBytes))).bytes();
  // Parsing a huge response would use the memory of the server
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
