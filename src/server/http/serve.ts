/**
 * Serves surfaces over Streamable HTTP until the process is told to end: then it says that it is not
 * ready, lets calls that run finish within a bound, and closes.
 */

import { UsageError } from "../../errors.ts";
import { deadline } from "../../async/deadline.ts";
import { log } from "../../log.ts";
import { Elicitation } from "../elicitation.ts";
import { type Lifetime, type ServerConnection, serveThrough } from "../lifetime.ts";
import type { Serving } from "../mcp_server.ts";
import { type Address, addressText, isLoopback } from "../../process/address.ts";
import { nameCheck, type Names } from "./addresses.ts";
import { anyone, type Authenticator } from "./client.ts";
import { createHandler, type HandlerOptions, mcpPath } from "./handler.ts";
import { defaultHttpLimits, type HttpLimits } from "./limits.ts";
import { listen, type Tls } from "./listener.ts";

/** Five minutes: other instances may serve another catalogue after the next release. */
const listTtlMs = 5 * 60 * 1000;

/** Milliseconds that calls have to finish once the end was asked for, when nobody says otherwise. */
export const defaultDrainMs = 25_000;

/** How to serve. */
export interface HttpOptions extends Names {
  readonly address: Address;
  readonly surfaceFor: HandlerOptions["surfaceFor"];
  /** Absent: anyone may send requests, which only an address of this machine's own allows. */
  readonly authenticator?: Authenticator | undefined;
  readonly tls?: Tls | undefined;
  /** Milliseconds that calls have to finish once the end was asked for. @default {@linkcode defaultDrainMs} */
  readonly drainMs?: number | undefined;
  readonly limits?: Partial<HttpLimits> | undefined;
  readonly onAnswered?: HandlerOptions["onAnswered"] | undefined;
  readonly traced?: Serving["traced"] | undefined;
  /** Told when the port is open. */
  readonly onListening?: (url: string) => void;
}

/**
 * Serves; resolves when everything is over and `release` has let go of what calls needed.
 *
 * @throws {UsageError} when others than this machine could call, and nobody has to say who they are
 * @throws {ClimaxError} when the port cannot be opened
 */
export async function serveHttp(
  options: HttpOptions,
  release: () => Promise<void>,
): Promise<void> {
  const { address } = options;
  if (options.authenticator === undefined && !isLoopback(address.host)) {
    throw new UsageError(
      `Refusing to listen on ${address.host} without authentication: every client could run programs`,
      "Require tokens: --tokens FILE, or --issuer URL with --audience URL",
    );
  }
  const opened = Promise.withResolvers<void>();
  const serving = serveThrough(
    (lifetime) => openConnection(options, { lifetime, opened }),
    release,
  );
  await Promise.all([opened.promise, serving]);
}

function openConnection(
  options: HttpOptions,
  { lifetime, opened }: { lifetime: Lifetime; opened: PromiseWithResolvers<void> },
): ServerConnection {
  const { address, authenticator = anyone, drainMs = defaultDrainMs, tls } = options;
  const limits = { ...defaultHttpLimits, ...options.limits };
  const closed = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let ready = false;
  const handler = createHandler({
    surfaceFor: options.surfaceFor,
    authenticator,
    checkNames: nameCheck(address, options),
    limits,
    serving: {
      ...lifetime,
      listTtlMs,
      asking: new Elicitation({ stop: lifetime.stop }),
      ...(options.traced === undefined ? {} : { traced: options.traced }),
    },
    isReady: () => ready,
    ...(options.onAnswered === undefined ? {} : { onAnswered: options.onAnswered }),
  });
  const listening = listen({ address, limits, tls }, handler.handle);
  listening.then(({ address }) => {
    ready = true;
    const scheme = tls === undefined ? "http" : "https";
    options.onListening?.(`${scheme}://${addressText(address)}${mcpPath}`);
    opened.resolve();
  }, (error) => {
    opened.reject(error);
    closed.resolve();
  });

  async function close(): Promise<void> {
    // Asked for again: what runs has had its time
    if (!ready) return ended.resolve();
    ready = false;
    await deadline(Promise.race([handler.idle(), ended.promise]), drainMs);
    const listener = await listening;
    const closing = listener.close();
    await handler.close();
    log("info", "http: closed");
    closed.resolve();
    await closing;
  }
  return { closed: closed.promise, ending: false, close };
}
