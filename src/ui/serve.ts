/** Serves the page on a loopback port until the process is told to end. */

import { listen } from "../server/http/listener.ts";
import { type Lifetime, type ServerConnection, serveThrough } from "../server/lifetime.ts";
import type { PageSources } from "./answers.ts";
import { guard, newPageToken } from "./guard.ts";
import { UiHandler, uiLimits } from "./handler.ts";

/** The loopback interface, and a port that the system chooses. */
const address = { host: "127.0.0.1", port: 0 };

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
  await serveThrough((lifetime) => openPort(options, lifetime), release);
}

async function openPort(
  { sources, onListening }: UiOptions,
  lifetime: Lifetime,
): Promise<ServerConnection> {
  const closed = Promise.withResolvers<void>();
  const token = newPageToken();
  const listener = await listen(
    { address, limits: uiLimits },
    (req, res) => handler.handle(req, res),
  );
  // The guard needs the port, which is known once it is open
  const handler = new UiHandler({ sources, guard: guard(listener.address, token), lifetime });
  const { host, port } = listener.address;
  // After the #, which is not sent to any server
  onListening(`http://${host}:${port}/#token=${token}`);
  return {
    closed: closed.promise,
    async close() {
      const closing = listener.close();
      // Running calls end now, and their pages are notified while the connections stay open
      closed.resolve();
      await closing;
    },
  };
}
