/** Gives the addresses in a result of a server the form in which clients can read them. */

import type { ContentBlock } from "../../tool/result.ts";
import { isObject } from "../../text/own_property.ts";
import type { Addresses } from "./addresses.ts";

/** The address that clients get for one of the server. */
export type ServedLink = (uri: string) => string;

/** Addresses that a client reads itself, unless the server lists them as resources. */
const readByClients = /^(?:https?|data|mailto):/i;

/** The function for the links in one answer of `server`, whose listed addresses are `listed`. */
export function servedLink(
  server: string,
  addresses: Addresses,
  listed: () => ReadonlySet<string>,
): ServedLink {
  if (addresses.areUnchanged) return (uri) => uri;
  let known: ReadonlySet<string> | undefined;
  return (uri) => {
    if (readByClients.test(uri) && !(known ??= listed()).has(uri)) return uri;
    return addresses.served(server, uri);
  };
}

/** The part of an answer that has addresses. */
export interface Linked {
  readonly content?: readonly ContentBlock[];
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** `answer` with the addresses of its links, resources and interface. */
export function withServedLinks<Answer extends Linked>(answer: Answer, served: ServedLink): Answer {
  const { content, _meta } = answer;
  return {
    ...answer,
    ...(content === undefined ? {} : { content: content.map((block) => linked(block, served)) }),
    ...(_meta === undefined ? {} : { _meta: withServedInterface(_meta, served) }),
  };
}

function linked(block: ContentBlock, served: ServedLink): ContentBlock {
  if (block.type === "resource_link" && typeof block.uri === "string") {
    return { ...block, uri: served(block.uri) };
  }
  if (block.type === "resource" && typeof block.resource?.uri === "string") {
    return { ...block, resource: { ...block.resource, uri: served(block.resource.uri) } };
  }
  return block;
}

/** The key of MCP Apps in the `_meta` of a tool or result, and the one before it. */
export const interfaceKey = "ui";
export const formerInterfaceKey = "ui/resourceUri";

/** `_meta` with the address of the interface (MCP Apps, 2026-01-26). */
export function withServedInterface(
  meta: Readonly<Record<string, unknown>>,
  served: ServedLink,
): Readonly<Record<string, unknown>> {
  const { [interfaceKey]: ui, [formerInterfaceKey]: former } = meta;
  const address = isObject(ui) ? ui["resourceUri"] : undefined;
  return {
    ...meta,
    ...(typeof address === "string"
      ? { [interfaceKey]: { ...ui as object, resourceUri: served(address) } }
      : {}),
    ...(typeof former === "string" ? { [formerInterfaceKey]: served(former) } : {}),
  };
}
