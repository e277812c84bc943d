/** Lists the tools of a server once, for commands that inspect it without a call. */

import { type Environment } from "../../files/expand.ts";
import { requireVariable } from "../../process/environment.ts";
import { watch } from "../../process/progress.ts";
import { type Listing, ListingCache } from "./listing.ts";
import { Login } from "./login/login.ts";
import { UpstreamServer } from "./server.ts";
import { expandTransport, servedPart, type ServerSpec } from "./spec.ts";

interface AskOptions {
  readonly environment?: Environment;
  /** False gives the program the minutes that a first start may take. @default what the cache knows */
  readonly wasSeen?: boolean;
}

/** Returns the listing of the server, and stores it in the cache. @throws {UpstreamError} */
export async function askServer(
  spec: ServerSpec,
  { environment = requireVariable, wasSeen }: AskOptions = {},
): Promise<Listing> {
  const cache = new ListingCache();
  const expanded = expandTransport(spec.transport, environment);
  const server = new UpstreamServer(spec, {
    environment,
    login: Login.of(spec, { environment }),
    wasSeen: wasSeen ?? (expanded.ok && await cache.read(expanded.value) !== undefined),
  });
  try {
    const work = { verb: "connecting to", subject: spec.name };
    const listing = await watch(work, () => server.list());
    // A later start compares the cached definitions with what the person accepts now
    if (expanded.ok) await cache.write(expanded.value, listing);
    return servedPart(spec, listing);
  } finally {
    await server.close();
  }
}
