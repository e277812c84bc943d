/** Reads what a server says of itself over one connection: its description, its tools, prompts and resources. */

import { excerpt } from "../../text/excerpt.ts";
import { maxDescriptionLength } from "./_bounds.ts";
import { listFeatures } from "./_list_features.ts";
import { listPages } from "./_list_pages.ts";
import type { Listing } from "./cache.ts";
import type { UpstreamConnection } from "./connection.ts";
import { DefinitionReader } from "./definition.ts";

export async function readListing(
  { client, prior }: Pick<UpstreamConnection, "client" | "prior">,
  signal: AbortSignal,
): Promise<Listing> {
  const reader = new DefinitionReader();
  const onPage = (tools: readonly unknown[]) => reader.add(tools);
  const rest = client.getServerCapabilities()?.tools === undefined
    ? undefined
    : await listPages(client, { method: "tools/list", key: "tools", onPage }, signal);
  const { definitions, doubts } = reader.result(rest);
  const features = await listFeatures(client, signal);
  const { description = "" } = client.getServerVersion() ?? {};
  return {
    definitions,
    doubts: [...doubts, ...features.doubts],
    features: features.listing,
    description: excerpt(description, maxDescriptionLength),
    prior,
  };
}
