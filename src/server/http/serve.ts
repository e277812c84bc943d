/**
 * Serves surfaces over Streamable HTTP until the process is told to end: then it reports that it is not ready, lets
 * running calls finish within a bound, and closes.
 */

import { UsageError } from "../../errors.ts";
import { deadline } from "../../async/deadline.ts";
import { log } from "../../log.ts";
import { Elicitation } from "../elicitation.ts";
import { type Lifetime, type ServerConnection, serveThrough } from "../lifetime.ts";
import type { SharedState } from "../../state/shared_state.ts";
import type { Serving } from "../serving.ts";
import { type Address, addressText, isLoopback } from "../../process/address.ts";
import { nameCheck, type Names } from "./addresses.ts";
import { anyone, type Authenticator } from "./client.ts";
import { pageCheck } from "./addresses.ts";
import { createHandler, type HandlerOptions } from "./handler.ts";
import { mcpPath } from "./route.ts";
import { defaultHttpLimits, type HttpLimits } from "./limits.ts";
import { listen, type Tls } from "./listener.ts";

/** Five minutes: after a release, other instances may have another catalogue. */
const listTtlMs = 5 * 60 * 1000;

/** Milliseconds to send the answers of calls that were ended. */
const answerMs = 1000;

/** Default of the milliseconds that calls have to finish at the end. */
export const defaultDrainMs = 25_000;

export interface HttpOptions extends Names {
  readonly address: Address;
  readonly surfaceFor: HandlerOptions["surfaceFor"];
  readonly placeOf?: HandlerOptions["placeOf"];
  readonly paths?: HandlerOptions["paths"];
  /** Absent: no authentication, which is allowed for loopback addresses only. */
  readonly authenticator?: Authenticator | undefined;
  readonly tls?: Tls | undefined;
  /** Milliseconds that calls have to finish at the end. @default {@linkcode defaultDrainMs} */
  readonly drainMs?: number | undefined;
  readonly limits?: Partial<HttpLimits> | undefined;
  readonly onAnswered?: HandlerOptions["onAnswered"] | undefined;
  readonly traced?: Serving["traced"] | undefined;
  /** What this instance shares with others. */
  readonly state?: SharedState | undefined;
  /** Called when the port is open. */
  readonly onListening?: (url: string) => void;
}

/**
 * Resolves when serving has ended and `release` has closed what calls used.
 *
 * @throws {UsageError} if other machines could call without authentication
 * @throws {ClimaxError} if the port cannot be opened
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
  let isClosing = false;
  let accepts = true;
  const handler = createHandler({
    surfaceFor: options.surfaceFor,
    placeOf: options.placeOf,
    paths: options.paths,
    authenticator,
    checkNames: nameCheck(address, options),
    mayRead: pageCheck(options.origins),
    limits,
    serving: {
      ...lifetime,
      listTtlMs,
      elicitation: new Elicitation({ stop: lifetime.stop.signal, state: options.state }),
      ...(options.traced === undefined ? {} : { traced: options.traced }),
    },
    isReady: () => ready,
    accepts: () => accepts,
    state: options.state,
    ...(options.onAnswered === undefined ? {} : { onAnswered: options.onAnswered }),
  });
  const listening = listen({ address, limits, tls }, handler.handle);
  listening.then(({ address }) => {
    ready = !isClosing;
    const scheme = tls === undefined ? "http" : "https";
    options.onListening?.(`${scheme}://${addressText(address)}${mcpPath}`);
    opened.resolve();
  }, (error) => {
    opened.reject(error);
    closed.resolve();
  });

  async function close(): Promise<void> {
    // A second request ends the wait for running calls
    if (isClosing) return ended.resolve();
    isClosing = true;
    ready = false;
    const listener = await listening.catch(() => undefined);
    if (listener === undefined) return;
    handler.endStreams();
    // What is on its way, and what runs
    const drained = listener.drain().then(() => handler.idle());
    await deadline(Promise.race([drained, ended.promise]), drainMs);
    accepts = false;
    closed.resolve();
  }

  /** Calls have ended, and their answers are to be sent. */
  async function discard(): Promise<void> {
    const listener = await listening.catch(() => undefined);
    await deadline(handler.idle(), answerMs);
    await handler.close();
    await listener?.close();
    if (listener !== undefined) log("info", "http: closed");
  }
  return { closed: closed.promise, close, discard };
}
