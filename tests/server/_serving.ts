/** How the tests of servers serve. */

import { Client, type ClientOptions, InMemoryTransport } from "@modelcontextprotocol/client";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createMcpServer } from "../../src/server/mcp_server.ts";
import type { Surface } from "../../src/server/surface.ts";
import { FollowedSignal } from "../../src/async/deadline.ts";
import { Elicitation } from "../../src/server/elicitation.ts";
import type { Serving } from "../../src/server/requests.ts";

/** Serving that tracks no call and does not end, unless `settings` say otherwise. */
export function testServing(settings: Partial<Serving> = {}): Serving {
  const { signal } = new AbortController();
  return {
    stop: new FollowedSignal(signal),
    forceEnd: signal,
    track() {},
    listTtlMs: 0,
    elicitation: new Elicitation(),
    ...settings,
  };
}

/** A client of the SDK that is joined to a server in this process. */
export interface Joined extends AsyncDisposable {
  readonly client: Client;
}

/** Joins a client of an era of the protocol to a server that shows `surface`. */
export async function joinClient(
  surface: Surface,
  mode: "auto" | "legacy",
  serving: Partial<Serving> = {},
  capabilities: object = {},
  listChanged: ClientOptions["listChanged"] = {},
): Promise<Joined> {
  const [clientSide, transport] = InMemoryTransport.createLinkedPair();
  const all = testServing(serving);
  const handle = serveStdio(() => createMcpServer(surface, all), { transport });
  const identity = { name: "climax-tests", version: "1.0.0" };
  const client = new Client(identity, { capabilities, listChanged, versionNegotiation: { mode } });
  await client.connect(clientSide);
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await handle.close();
    },
  };
}
