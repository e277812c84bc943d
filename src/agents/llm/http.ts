/** HTTP requests to providers: with bounds, and without redirects, which could leak the key. */

import { optionalVariable } from "../../process/environment.ts";
import { excessOf, scanMessage } from "../../text/message_scan.ts";

/** Most bytes of a response. */
const maxResponseBytes = 32 * 1024 * 1024;

/** A failure that would come again at once, so that nothing is retried. */
export class PermanentFailure extends Error {
  override readonly name = "PermanentFailure";
}

/** `fetch` for the SDK: no redirects, bodies bounded as messages are, network failures as it knows them. */
export async function boundedFetch(
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  // A redirect would send the header with the key to any host
  const response = await fetch(input, { ...init, redirect: "manual" }).catch(async (error) => {
    const { host, href } = new URL(input instanceof Request ? input.url : input);
    const isPermanent = error instanceof TypeError && await isRefused(new URL(href));
    throw isPermanent ? new PermanentFailure(`${host} refuses the connection`) : retried(error);
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
    throw retried(error);
  });
  // Parsing a huge response would use the memory of the server
  const excess = excessOf(scanMessage(bytes));
  if (excess !== undefined) throw new Error(`The answer has ${excess}`);
  return new Response(bytes, { status, statusText, headers });
}

/** The SDK recognises a network failure by this text only, and retries. */
function retried(error: unknown): unknown {
  return error instanceof TypeError ? new TypeError("fetch failed", { cause: error }) : error;
}

/** `fetch` does not say why it failed in a form that a program can read; a connection does. */
async function isRefused({ hostname, port, protocol }: URL): Promise<boolean> {
  // A proxy connects in place of this program
  if (proxyVariables.some((name) => optionalVariable(name))) return false;
  try {
    const address = {
      hostname: hostname.replace(/^\[|\]$/g, ""),
      port: Number(port) || (protocol === "https:" ? 443 : 80),
    };
    (await Deno.connect(address)).close();
    return false;
  } catch (error) {
    return error instanceof Deno.errors.ConnectionRefused;
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
