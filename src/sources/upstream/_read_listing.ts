/** Reads what a server says of itself over one connection: its description, its tools, prompts and resources. */

import { excerpt } from "../../text/excerpt.ts";
import { connectMs, listFeaturesMs, maxDescriptionLength, maxPages } from "./_bounds.ts";
import type { Listing } from "./cache.ts";
import type { UpstreamConnection } from "./connection.ts";
import { DefinitionReader } from "./definition.ts";
import type { Client } from "@modelcontextprotocol/client";
import { messageOf } from "../../errors.ts";
import { skillsExtension } from "../../tool/feature.ts";
import {
  type FeatureList,
  type FeatureListing,
  FeatureReader,
  type PromptDefinition,
  type ResourceDefinition,
  type SkillDefinition,
  type TemplateDefinition,
} from "./feature_definition.ts";
import * as z from "zod";

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

/** A server that has a capability and lists nothing answers this (JSON-RPC: method not found). */
const methodNotFound = -32601;

interface ListedFeatures {
  readonly listing: FeatureListing;
  readonly doubts: readonly string[];
}

async function listFeatures(
  client: Client,
  signal: AbortSignal,
): Promise<ListedFeatures> {
  const { prompts, resources, completions, extensions } = client.getServerCapabilities() ?? {};
  const doubts: string[] = [];
  // The tools wait for these lists
  const either = AbortSignal.any([signal, AbortSignal.timeout(listFeaturesMs)]);
  const list = async (isOffered: boolean, method: ListMethod, key: string, what: FeatureList) => {
    if (!isOffered) return [];
    const reader = new FeatureReader(what);
    let rest: string | undefined;
    try {
      const onPage = (items: readonly unknown[]) => reader.add(items);
      rest = await listPages(client, { method, key, onPage }, either);
    } catch (error) {
      // An end of the connection is not an answer
      if (signal.aborted) throw error;
      if ((error as { code?: unknown }).code === methodNotFound) return [];
      rest = either.aborted ? `no answer within ${listFeaturesMs / 1000} s` : messageOf(error);
    }
    const read = reader.result(rest);
    doubts.push(...read.doubts);
    return read.definitions;
  };
  const [hasPrompts, hasResources] = [prompts !== undefined, resources !== undefined];
  // The extension is one of 2026-07-28
  const hasSkills = client.getProtocolEra() === "modern" && hasResources &&
    extensions?.[skillsExtension] !== undefined;
  const [listedPrompts, listedResources, listedTemplates, listedSkills] = await Promise.all([
    list(hasPrompts, "prompts/list", "prompts", "prompts"),
    list(hasResources, "resources/list", "resources", "resources"),
    list(hasResources, "resources/templates/list", "resourceTemplates", "templates"),
    list(hasSkills, "skills/list", "skills", "skills"),
  ]);
  return {
    listing: {
      prompts: listedPrompts as readonly PromptDefinition[],
      resources: listedResources as readonly ResourceDefinition[],
      templates: listedTemplates as readonly TemplateDefinition[],
      skills: listedSkills as readonly SkillDefinition[],
      hasSkills,
      hasPrompts,
      hasResources,
      hasCompletions: completions !== undefined,
      hasSubscriptions: resources?.subscribe === true,
    },
    doubts,
  };
}

/** The methods that list what a server offers, in pages. */
type ListMethod =
  | "tools/list"
  | "prompts/list"
  | "resources/list"
  | "resources/templates/list"
  | "skills/list";

/** A list, the key of its items in results, and a function that returns whether it takes more. */
interface PagedList {
  readonly method: ListMethod;
  readonly key: string;
  readonly onPage: (items: readonly unknown[]) => boolean;
}

const pageSchema = z.looseObject({ nextCursor: z.string().optional() });

/**
 * Passes each page of a list to `onPage`, until that returns false.
 *
 * @returns why the list is incomplete, if it is
 */
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
