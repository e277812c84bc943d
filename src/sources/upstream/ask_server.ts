/** Lists the tools of a server once, for commands that show them without calling one. */

import { type Environment } from "../../files/expand.ts";
import { requireVariable } from "../../process/environment.ts";
import { watch } from "../../process/progress.ts";
import { type Listing, ListingCache } from "./listing.ts";
import { Login } from "./login/login.ts";
import { UpstreamServer } from "./server.ts";
import { expandTransport, servedPart, type ServerSpec } from "./spec.ts";

interface AskOptions {
  readonly environment?: Environment;
  readonly wasSeen?: boolean;
}

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
    // The cache gets all tools, also those that the config leaves out, since the config may change until the next start
    if (expanded.ok) await cache.write(expanded.value, listing);
    return servedPart(spec, listing);
  } finally {
    await server.close();
  }
}
