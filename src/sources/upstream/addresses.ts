/**
 * Addresses of resources, unique among all servers and reversible: `SERVER+SCHEME:…` if the configs have several
 * servers, and in `ui:` the server is behind the scheme, which clients must recognize (MCP Apps).
 */

import { sha256 } from "../../text/hash.ts";
import { decodeForms, maxRounds } from "../../text/uri_spellings.ts";
import type { ContentBlock } from "../../tool/result.ts";
import { isObject } from "../../text/own_property.ts";
import { trimEndOf } from "../../text/excerpt.ts";

/** Most characters of an address. */
const maxLength = 4096;
const uiScheme = "ui://";

export class Addresses {
  /** By the form of its name in addresses. */
  readonly #servers: ReadonlyMap<string, string>;
  readonly #prefixes: ReadonlyMap<string, string>;

  /** `servers` are all that the configs name, with resources or without. */
  constructor(servers: readonly string[]) {
    this.#prefixes = prefixesOf(servers);
    this.#servers = new Map([...this.#prefixes].map(([server, prefix]) => [prefix, server]));
  }

  get areUnchanged(): boolean {
    return this.#servers.size < 2;
  }

  /** The address that clients get for `uri` of `server`. */
  serve(server: string, uri: string): string {
    return this.areUnchanged ? uri : this.qualify(server, uri);
  }

  /** The address with its server, even if there is only one. */
  qualify(server: string, uri: string): string {
    const prefix = this.#prefixes.get(server) ?? server;
    if (!uri.startsWith(uiScheme)) return `${prefix}+${uri}`;
    return `${uiScheme}${prefix}+${uri.slice(uiScheme.length)}`;
  }

  /** The resource at a qualified address; absent if `address` names no server. */
  original(address: string): { readonly server: string; readonly uri: string } | undefined {
    const isUi = address.startsWith(uiScheme);
    const rest = isUi ? address.slice(uiScheme.length) : address;
    const end = rest.indexOf("+");
    const server = end === -1 ? undefined : this.#servers.get(rest.slice(0, end));
    if (server === undefined) return undefined;
    return { server, uri: `${isUi ? uiScheme : ""}${rest.slice(end + 1)}` };
  }
}

/** The name of each server in the characters that a scheme may have (RFC 3986, section 3.1), without `+`. */
function prefixesOf(servers: readonly string[]): Map<string, string> {
  const plain = (name: string) => /^[a-z][a-z0-9.-]{0,62}$/.test(name);
  const prefixes = new Map<string, string>();
  // A name that is kept has precedence over one that is changed
  for (const name of [...servers.filter(plain), ...servers.filter((name) => !plain(name))]) {
    const part = name.toLowerCase().replace(/[^a-z0-9.-]/g, "-").replace(/^[^a-z]+/, "");
    const short = trimEndOf(part.slice(0, 48), "-");
    const changed = `${short === "" ? "server" : short}-${sha256(name).slice(0, 8)}`;
    prefixes.set(name, plain(name) ? name : changed);
  }
  return prefixes;
}

/** Those of the skills of climax, as any program may read them. */
const ownAddress = /^\s*skill:[\\/]*(?:[^\\/?#]*@)?climax\.*(?::\d*)?(?:[\\/?#{]|$)/i;

/** Returns why `uri` cannot be the address of a resource, or a template of addresses. */
export function whyNotAddress(uri: string): string | undefined {
  if (uri.length > maxLength) return `has over ${maxLength} characters`;
  const forms = decodeForms(uri);
  if (forms.length > maxRounds) return "is percent-encoded too often";
  for (const form of forms) {
    if (ownAddress.test(form.normalize("NFKC"))) return "is one of climax itself";
    if (/^\s*ui:/i.test(form) && !uri.startsWith(uiScheme)) return `is not written '${uiScheme}…'`;
    if (/[\p{Cc}\ufffd]/u.test(form)) return "has control characters";
    if (/(?:^|[\\/:])\.\.(?:[\\/?#]|$)/.test(form)) return "climbs out of its folder with '..'";
  }
  return undefined;
}

/** The address that clients get for one of the server. */
export type ServedLink = (uri: string) => string;

/** Addresses that a client reads itself, unless the server lists them as resources. */
const readByClients = /^(?:https?|data|mailto):/i;

/** The function for the links in one answer of `server`, whose listed addresses are `listed`. */
export function makeServedLink(
  server: string,
  addresses: Addresses,
  listed: () => ReadonlySet<string>,
): ServedLink {
  if (addresses.areUnchanged) return (uri) => uri;
  let known: ReadonlySet<string> | undefined;
  return (uri) => {
    if (readByClients.test(uri) && !(known ??= listed()).has(uri)) return uri;
    return addresses.serve(server, uri);
  };
}

interface Linked {
  readonly content?: readonly ContentBlock[];
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** `answer` with the addresses of its links, resources and interface. */
export function withServedLinks<Answer extends Linked>(answer: Answer, served: ServedLink): Answer {
  const { content, _meta } = answer;
  return {
    ...answer,
    ...(content === undefined ? {} : { content: content.map((block) => linkBlock(block, served)) }),
    ...(_meta === undefined ? {} : { _meta: withServedInterface(_meta, served) }),
  };
}

function linkBlock(block: ContentBlock, served: ServedLink): ContentBlock {
  if (block.type === "resource_link" && typeof block.uri === "string") {
    return { ...block, uri: served(block.uri) };
  }
  if (block.type === "resource" && typeof block.resource?.uri === "string") {
    return { ...block, resource: { ...block.resource, uri: served(block.resource.uri) } };
  }
  return block;
}

/** The key of MCP Apps in the `_meta` of a tool or result, and the one before it. */
const interfaceKey = "ui";
const formerInterfaceKey = "ui/resourceUri";

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
