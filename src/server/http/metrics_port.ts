/** Serves the metrics at an address of their own, for collectors. */

import { nameCheck } from "./addresses.ts";
import { type Address, isLoopback } from "../../process/address.ts";
import { errorReply, type HttpReply, send } from "./answer.ts";
import { defaultHttpLimits } from "./limits.ts";
import { listen } from "./listener.ts";
import type { Metrics } from "./metrics.ts";

/** Serves `metrics` at `/metrics`. Returns a function that stops this. @throws {ClimaxError} if it cannot */
export async function serveMetrics(
  address: Address,
  metrics: Metrics,
): Promise<() => Promise<void>> {
  const limits = { ...defaultHttpLimits, connections: 64, pipelined: 4 };
  const checkNames = nameCheck(address, { hosts: [], origins: [] });
  const { close } = await listen({ address, limits }, (req, res) => {
    send(
      res,
      replyTo(
        req.url ?? "",
        isLoopback(address.host) ? checkNames(req.headers.host, req.headers.origin) : undefined,
        metrics,
      ),
    );
    req.resume();
    return Promise.resolve();
  });
  return close;
}

function replyTo(path: string, wrong: string | undefined, metrics: Metrics): HttpReply {
  if (wrong !== undefined) return errorReply(403, wrong);
  if (path !== "/metrics") return errorReply(404, "Not found: metrics are at /metrics");
  const headers = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };
  return { status: 200, headers, body: metrics.text() };
}
