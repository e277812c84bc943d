/** Asks a connected server for its tools, prompts and resources, page by page and up to the bounds. */

import * as z from "zod";
import type { Client } from "@modelcontextprotocol/client";
import { messageOf } from "../../errors.ts";
import { excerpt } from "../../text/excerpt.ts";
import { skillsExtension } from "../../tool/feature.ts";
import { connectMs, listFeaturesMs, maxDescriptionLength, maxPages } from "./_bounds.ts";
import type { UpstreamConnection } from "./connection.ts";
import { type Definition, toolReader } from "./definition.ts";
import { type FeatureListing, readLists } from "./feature_definition.ts";

/** The description of a server, its tools, prompts and resources, as the server gives them. */
export interface Listing {
  readonly definitions: readonly Definition[];
  /** Warnings about definitions that were left out. */
  readonly warnings: readonly string[];
  readonly description: string;
  /** Its prompts and resources; absent: not asked. */
  readonly features?: FeatureListing | undefined;
  readonly prior: UpstreamConnection["prior"] | undefined;
}

/** @throws {Error} if the list of tools is refused, or `signal` aborts */
export async function readListing(
  { client, prior }: Pick<UpstreamConnection, "client" | "prior">,
  signal: AbortSignal,
): Promise<Listing> {
  const reader = toolReader();
  const onPage = (tools: readonly unknown[]) => reader.add(tools);
  const rest = client.getServerCapabilities()?.tools === undefined
    ? undefined
    : await listPages(client, { method: "tools/list", key: "tools", onPage }, signal);
  const { definitions, warnings } = reader.result(rest);
  const features = await listFeatures(client, signal);
  const { description = "" } = client.getServerVersion() ?? {};
  return {
    definitions,
    warnings: [...warnings, ...features.warnings],
    features: features.listing,
    description: excerpt(description, maxDescriptionLength),
    prior,
  };
}

/** The answer of a server that has a capability and lists nothing (JSON-RPC: method not found). */
const methodNotFound = -32601;

async function listFeatures(
  client: Client,
  signal: AbortSignal,
): Promise<{ readonly listing: FeatureListing; readonly warnings: readonly string[] }> {
  const { prompts, resources, extensions } = client.getServerCapabilities() ?? {};
  const hasResources = resources !== undefined;
  // The extension needs the protocol of 2026-07-28
  const hasSkills = client.getProtocolEra() === "modern" && hasResources &&
    extensions?.[skillsExtension] !== undefined;
  const methods = {
    prompts: prompts !== undefined && { method: "prompts/list", key: "prompts" } as const,
    resources: hasResources && { method: "resources/list", key: "resources" } as const,
    templates: hasResources &&
      { method: "resources/templates/list", key: "resourceTemplates" } as const,
    skills: hasSkills && { method: "skills/list", key: "skills" } as const,
  };
  const warnings: string[] = [];
  // The tools are served after these lists
  const either = AbortSignal.any([signal, AbortSignal.timeout(listFeaturesMs)]);
  const lists = await readLists(async (name, reader, what) => {
    if (methods[name] === false) return [];
    let rest: string | undefined;
    try {
      const onPage = (items: readonly unknown[]) => reader.add(items);
      rest = await listPages(client, { ...methods[name], onPage }, either);
    } catch (error) {
      // The connection has ended
      if (signal.aborted) throw error;
      if ((error as { code?: unknown }).code === methodNotFound) return [];
      rest = either.aborted ? `no answer within ${listFeaturesMs / 1000} s` : messageOf(error);
    }
    const read = reader.result(rest, `${what}s`);
    warnings.push(...read.warnings);
    return read.definitions;
  });
  return { listing: { ...lists, hasResources }, warnings };
}

interface PagedList {
  readonly method: `${"tools" | "prompts" | "resources" | "resources/templates" | "skills"}/list`;
  readonly key: string;
  readonly onPage: (items: readonly unknown[]) => boolean;
}

const pageSchema = z.looseObject({ nextCursor: z.string().optional() });

/** Passes pages to `onPage` until that returns false. Returns why the list is incomplete, if it is. */
async function listPages(
  client: Client,
  { method, key, onPage }: PagedList,
  signal: AbortSignal,
): Promise<string | undefined> {
  const deadline = AbortSignal.timeout(connectMs);
  const options = { timeout: connectMs, signal: AbortSignal.any([deadline, signal]) };
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    // Without a cursor the SDK would request all pages
    const listed = await client.request(
      { method, params: cursor === undefined ? {} : { cursor } },
      // The schema of the SDK would reject a whole page for one item
      pageSchema,
      options,
    );
    const items = listed[key];
    if (!Array.isArray(items)) throw new Error(`the answer to ${method} has no list '${key}'`);
    const isEnough = !onPage(items);
    if (listed.nextCursor === undefined || seen.has(listed.nextCursor)) return undefined;
    if (isEnough) return "there is no room for it";
    cursor = listed.nextCursor;
    seen.add(cursor);
  }
  return `it has over ${maxPages} pages`;
}
