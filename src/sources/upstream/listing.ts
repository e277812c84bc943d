/** Asks a connected server for its tools, prompts and resources, and stores the answer for the next start. */

import * as z from "zod";
import type { Client } from "@modelcontextprotocol/client";
import { messageOf } from "../../errors.ts";
import { excerpt } from "../../text/excerpt.ts";
import { isObject } from "../../text/own_property.ts";
import { connectMs, listFeaturesMs, maxDescriptionLength, maxPages } from "./_bounds.ts";
import type { UpstreamConnection } from "./connection.ts";
import { type Definition, ListReader, readDefinitions, toolList } from "./definition.ts";
import { type FeatureListing, readFeatures, readLists } from "./feature_definition.ts";
import { dirname, join } from "node:path";
import { removeOldest, replaceFile } from "../../files/write_file.ts";
import { log } from "../../log.ts";
import { cacheFolder, ownFolder } from "../../process/folders.ts";
import { version } from "../../process/build_info.ts";
import { sha256 } from "../../text/hash.ts";
import type { TransportSpec } from "./spec.ts";

export interface Listing {
  readonly definitions: readonly Definition[];
  readonly warnings: readonly string[];
  readonly description: string;
  readonly features?: FeatureListing | undefined;
  readonly prior: UpstreamConnection["prior"] | undefined;
}

/** @throws {Error} if the server refuses the list of tools, or `signal` aborts */
export async function readListing(
  { client, prior }: Pick<UpstreamConnection, "client" | "prior">,
  signal: AbortSignal,
): Promise<Listing> {
  const reader = new ListReader(toolList);
  const onPage = (tools: readonly unknown[]) => reader.add(tools);
  const list = (signal: AbortSignal) => {
    return listPages(client, { method: "tools/list", key: "tools", onPage }, signal);
  };
  const isDeclared = client.getServerCapabilities()?.tools !== undefined;
  // Some servers have tools and do not declare it, so climax asks all, but waits less for one that declares none
  const undeclared = AbortSignal.any([signal, AbortSignal.timeout(listFeaturesMs)]);
  const [rest, features] = await Promise.all([
    isDeclared ? await list(signal) : list(undeclared).catch(() => undefined),
    listFeatures(client, signal),
  ]);
  const { definitions, warnings } = reader.result(rest);
  const { description = "" } = client.getServerVersion() ?? {};
  return {
    definitions,
    warnings: [...warnings, ...features.warnings],
    features: features.listing,
    description: excerpt(description, maxDescriptionLength),
    prior,
  };
}

const methodNotFound = -32601;

const featureMethods = {
  prompts: { method: "prompts/list", key: "prompts" },
  resources: { method: "resources/list", key: "resources" },
  templates: { method: "resources/templates/list", key: "resourceTemplates" },
} as const;

async function listFeatures(client: Client, signal: AbortSignal) {
  const { prompts, resources } = client.getServerCapabilities() ?? {};
  const hasResources = resources !== undefined;
  const warnings: string[] = [];
  // Prompts and resources have a short timeout of their own, since the tools are not served before they have arrived
  const either = AbortSignal.any([signal, AbortSignal.timeout(listFeaturesMs)]);
  const lists = await readLists(async (name, reader, what) => {
    if (name === "prompts" ? prompts === undefined : !hasResources) return [];
    let rest: string | undefined;
    try {
      const onPage = (items: readonly unknown[]) => reader.add(items);
      rest = await listPages(client, { ...featureMethods[name], onPage }, either);
    } catch (error) {
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
  readonly method: "tools/list" | typeof featureMethods[keyof typeof featureMethods]["method"];
  readonly key: string;
  readonly onPage: (items: readonly unknown[]) => boolean;
}

/** The cursor of a page is sent back unchanged for the next page, even if it is an empty text or a number. */
const pageSchema = z.looseObject({ nextCursor: z.unknown().optional() });

/** Reads a list page by page. Returns why the list was not read to its end; nothing if it was. */
async function listPages(
  client: Client,
  { method, key, onPage }: PagedList,
  signal: AbortSignal,
): Promise<string | undefined> {
  const deadline = AbortSignal.timeout(connectMs);
  const options = { timeout: connectMs, signal: AbortSignal.any([deadline, signal]) };
  const seen = new Set<unknown>();
  let cursor: unknown;
  for (let page = 0; page < maxPages; page++) {
    const params = cursor === undefined ? {} : { cursor: cursor as string };
    let listed: z.infer<typeof pageSchema>;
    try {
      // The SDK's own method would read all pages at once, and refuse a page for one invalid entry
      listed = await client.request({ method, params }, pageSchema, options);
    } catch (error) {
      if (page === 0 || signal.aborted) throw error;
      return messageOf(error);
    }
    const items = listed[key] ?? [];
    // PHP may write a list as an object whose keys are numbers
    const entries = isObject(items) ? Object.values(items) : items;
    if (!Array.isArray(entries)) throw new Error(`the answer to ${method} has no list '${key}'`);
    const isEnough = !onPage(entries);
    cursor = listed.nextCursor;
    if (cursor === undefined || seen.has(cursor)) return undefined;
    if (isEnough) return "there is no room for it";
    seen.add(cursor);
  }
  return `it has over ${maxPages} pages`;
}

const maxFiles = 200;
/** For this many milliseconds, a week, climax remembers which version of MCP a server speaks. */
const maxPriorAgeMs = 7 * 24 * 60 * 60 * 1000;

export class ListingCache {
  readonly #folder: string | undefined;

  constructor(folder: string | undefined = cacheFolder()) {
    this.#folder = folder === undefined ? undefined : join(folder, "servers");
  }

  async read(transport: TransportSpec): Promise<Listing | undefined> {
    return await this.#withFile(transport, async (file) => {
      const { saved, definitions, warnings = [], description, features, prior } = JSON.parse(
        await Deno.readTextFile(file),
      );
      const isOld = Date.now() - Date.parse(saved) > maxPriorAgeMs;
      return {
        definitions: readDefinitions(definitions).definitions,
        warnings: warnings.map(String),
        description: String(description),
        features: await readFeatures(features),
        prior: isOld ? undefined : prior,
      };
    });
  }

  async write(transport: TransportSpec, listing: Listing): Promise<void> {
    await this.#withFile(transport, async (file) => {
      await Deno.mkdir(dirname(file), { recursive: true, mode: 0o700 });
      const text = JSON.stringify({ saved: new Date().toISOString(), ...listing });
      await replaceFile(file, text, { mode: 0o600 });
      await removeOldest(dirname(file), maxFiles);
    });
  }

  async #withFile<T>(
    transport: TransportSpec,
    work: (file: string) => Promise<T>,
  ): Promise<T | undefined> {
    if (this.#folder === undefined) return undefined;
    const folder = transport.kind === "stdio" ? ownFolder() : "";
    const name = `${sha256(JSON.stringify([version, folder, transport]))}.json`;
    try {
      return await work(join(this.#folder, name));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) log("debug", `cache: ${messageOf(error)}`);
      return undefined;
    }
  }
}
