/** HTTP requests to providers: with bounds, and without redirects, which could leak the key. */

import { excessOf, scanMessage } from "../../text/message_scan.ts";
import { optionalVariable } from "../../io.ts";

const maxResponseBytes = 32 * 1024 * 1024;

/** A failure that would come again at once, so that nothing is retried. */
export class PermanentFailure extends Error {
  override readonly name = "PermanentFailure";
}

/** `fetch` for the SDK: no redirects, bodies bounded as messages are, network failures as it knows them. */
export async function fetchBounded(
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  // A redirect would send the header with the key to any host
  const response = await fetch(input, { ...init, redirect: "manual" }).catch(async (error) => {
    const { href } = new URL(input instanceof Request ? input.url : input);
    const reason = error instanceof TypeError ? await permanentReason(new URL(href)) : undefined;
    throw reason === undefined ? describeRetries(error) : new PermanentFailure(reason);
  });
  const { body, status, statusText, headers } = response;
  if (status >= 300 && status < 400) {
    await body?.cancel();
    const to = URL.parse(headers.get("location") ?? "", response.url)?.origin ?? "another address";
    throw new PermanentFailure(`it redirects to ${to} (${status}), which is not followed`);
  }
  if (body === null) return response;
  const whole = new Response(body.pipeThrough(atMost(maxResponseBytes))).bytes();
  const bytes = await whole.catch((error) => {
    throw describeRetries(error);
  });
  // Parsing a huge response would use the memory of the server
  const excess = excessOf(scanMessage(bytes));
  if (excess !== undefined) throw new Error(`The answer has ${excess}`);
  return new Response(bytes, { status, statusText, headers });
}

/** The SDK recognises a network failure by this text only, and retries. */
function describeRetries(error: unknown): unknown {
  return error instanceof TypeError ? new TypeError("fetch failed", { cause: error }) : error;
}

/** Why no later request can reach `url` either. `fetch` does not say so in a form that a program can read. */
async function permanentReason({ hostname, host, port, protocol }: URL) {
  // A proxy connects in place of this program
  if (proxyVariables.some((name) => optionalVariable(name))) return undefined;
  const isTls = protocol === "https:";
  const address = {
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port) || (isTls ? 443 : 80),
  };
  try {
    const connection = isTls ? await Deno.connectTls(address) : await Deno.connect(address);
    if ("handshake" in connection) await connection.handshake();
    connection.close();
    return undefined;
  } catch (error) {
    if (error instanceof Deno.errors.ConnectionRefused) return `${host} refuses the connection`;
    if (error instanceof Deno.errors.InvalidData) return `TLS with ${host}: ${error.message}`;
    const { lookup } = await import("node:dns/promises");
    const { code } = await lookup(address.hostname).catch((error) => error) as { code?: unknown };
    return code === "ENOTFOUND" ? `no host has the name '${hostname}'` : undefined;
  }
}

const proxyVariables = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"];

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
