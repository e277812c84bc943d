/** One server asked once what it has, for whoever wants to look at it rather than call it. */

import { type Environment } from "../../files/expand.ts";
import { requiredVariable } from "../../process/environment.ts";
import { type Listing, ListingCache } from "./cache.ts";
import { UpstreamServer } from "./server.ts";
import { expandTransport, type ServerSpec } from "./spec.ts";

/** Connects to `spec`, lists its tools and ends the connection. @throws {UpstreamError} */
export async function askServer(
  spec: ServerSpec,
  environment: Environment = requiredVariable,
): Promise<Listing> {
  const server = new UpstreamServer(spec, { environment });
  try {
    const listing = await server.list();
    const reached = expandTransport(spec.transport, environment);
    // A start that finds older definitions there would hold them against what is accepted now
    if (reached.ok) await new ListingCache().write(reached.value, listing);
    return listing;
  } finally {
    await server.close();
  }
}
