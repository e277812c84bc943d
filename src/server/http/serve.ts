/** Serves surfaces over Streamable HTTP until the process must end. Running calls have limited time to finish. */

import { UsageError } from "../../errors.ts";
import { deadline } from "../../async/deadline.ts";
import { log } from "../../log.ts";
import { Elicitation } from "../elicitation.ts";
import { type Lifetime, type ServerConnection, serveThrough } from "../lifetime.ts";
import type { Serving } from "../requests.ts";
import { type Address, addressText, isLoopback } from "../../process/address.ts";
import { nameCheck, type Names, pageCheck } from "./addresses.ts";
import { anyone, type Authenticator } from "./client.ts";
import { type HandlerOptions, HttpHandler } from "./handler.ts";
import { mcpPath } from "./route.ts";
import { defaultHttpLimits, type HttpLimits } from "./limits.ts";
import { listen, type Tls } from "./listener.ts";

/** Clients may cache a list for five minutes: other instances may have a new release with another catalogue. */
const listTtlMs = 5 * 60 * 1000;

const answerMs = 1000;

const defaultDrainMs = 25_000;

export interface HttpOptions
  extends Names, Pick<HandlerOptions, "surfaceFor" | "placeOf" | "paths" | "state" | "onAnswered"> {
  readonly address: Address;
  /** Checks who a client is. @default no authentication, which is allowed for loopback addresses only */
  readonly authenticator?: Authenticator | undefined;
  readonly tls?: Tls | undefined;
  /** At the end, calls have this many milliseconds to finish. @default 25 seconds */
  readonly drainMs?: number | undefined;
  readonly limits?: Partial<HttpLimits> | undefined;
  readonly traced?: Serving["traced"] | undefined;
  readonly onListening?: (url: string) => void;
}

/** @throws {ClimaxError} if the port cannot be opened, or other machines could call without authentication */
export async function serveHttp(options: HttpOptions, release: () => Promise<void>): Promise<void> {
  const { address } = options;
  if (options.authenticator === undefined && !isLoopback(address.host)) {
    throw new UsageError(
      `Refusing to listen on ${address.host} without authentication: every client could run programs`,
      "Require tokens: --tokens FILE, or --issuer URL with --audience URL",
    );
  }
  await serveThrough((lifetime) => openConnection(options, lifetime), release);
}

async function openConnection(options: HttpOptions, lifetime: Lifetime): Promise<ServerConnection> {
  const { address, drainMs = defaultDrainMs, tls, traced } = options;
  const limits = { ...defaultHttpLimits, ...options.limits };
  const closed = Promise.withResolvers<void>();
  const hurried = Promise.withResolvers<void>();
  let isReady = true;
  let accepts = true;
  const listener = await listen({ address, limits, tls }, (req, res) => handler.handle(req, res));
  const handler = new HttpHandler({
    ...options,
    authenticator: options.authenticator ?? anyone,
    checkNames: nameCheck(address, options),
    mayRead: pageCheck(options.origins),
    limits,
    serving: {
      ...lifetime,
      listTtlMs,
      elicitation: new Elicitation({ stop: lifetime.stop.signal, state: options.state }),
      ...(traced === undefined ? {} : { traced }),
    },
    isReady: () => isReady,
    accepts: () => accepts,
  });
  const scheme = tls === undefined ? "http" : "https";
  options.onListening?.(`${scheme}://${addressText(listener.address)}${mcpPath}`);
  return {
    closed: closed.promise,
    async close() {
      if (!isReady) return hurried.resolve();
      isReady = false;
      handler.endStreams();
      const drained = listener.drain().then(() => handler.idle());
      await deadline(Promise.race([drained, hurried.promise]), drainMs);
      accepts = false;
      closed.resolve();
    },
    async discard() {
      await deadline(handler.idle(), answerMs);
      await handler.close();
      await listener.close();
      log("info", "http: closed");
    },
  };
}
