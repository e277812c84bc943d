/** Requests a list of a server page by page. */

import type { Client } from "@modelcontextprotocol/client";
import * as z from "zod";
import { connectMs, maxPages } from "./_bounds.ts";

/** The methods that list what a server offers, in pages. */
export type ListMethod =
  | "tools/list"
  | "prompts/list"
  | "resources/list"
  | "resources/templates/list"
  | "skills/list";

/** A list, the key of its items in results, and a function that returns whether it takes more. */
export interface PagedList {
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
export async function listPages(
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
