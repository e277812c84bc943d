/** Serves the page on a loopback port until the process is told to end. */

import { listen } from "../server/http/listener.ts";
import { type Lifetime, type ServerConnection, serveThrough } from "../server/lifetime.ts";
import type { PageSources } from "./answers.ts";
import { guard, newToken } from "./guard.ts";
import { UiHandler, uiLimits } from "./handler.ts";

/** The loopback interface, and a port that the system chooses. */
const address = { host: "127.0.0.1", port: 0 };

/** Settings of {@linkcode serveUi}. */
export interface UiOptions {
  readonly sources: PageSources;
  /** Called when the port is open, with the address that includes the token. */
  readonly onListening: (url: string) => void;
}

/** Serves; resolves when every call has ended and `release` has freed their resources. */
export async function serveUi(
  options: UiOptions,
  release: () => Promise<void>,
): Promise<void> {
  const opened = Promise.withResolvers<void>();
  const serving = serveThrough((lifetime) => openPort(options, { lifetime, opened }), release);
  await Promise.all([opened.promise, serving]);
}

function openPort(
  { sources, onListening }: UiOptions,
  { lifetime, opened }: { lifetime: Lifetime; opened: PromiseWithResolvers<void> },
): ServerConnection {
  const closed = Promise.withResolvers<void>();
  const token = newToken();
  // The guard needs the port, which is known once it is open
  const handler = Promise.withResolvers<UiHandler>();
  const listening = listen({ address, limits: uiLimits }, async (req, res) => {
    await (await handler.promise).handle(req, res);
  });
  listening.then((listener) => {
    const { host, port } = listener.address;
    handler.resolve(new UiHandler({ sources, guard: guard(listener.address, token), lifetime }));
    // Behind the #, which is not sent to any server
    onListening(`http://${host}:${port}/#token=${token}`);
    opened.resolve();
  }, (error) => {
    opened.reject(error);
    closed.resolve();
  });
  return {
    closed: closed.promise,
    async close() {
      const listener = await listening;
      const closing = listener.close();
      // Running calls end now, and their pages are notified while the connections stay open
      closed.resolve();
      await closing;
    },
  };
}
