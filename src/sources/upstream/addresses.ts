/**
 * Addresses of resources, unique among all servers and reversible: with one server they are its own, with several
 * the server stands in front, `SERVER+SCHEME:…`, and in `ui:` behind the scheme, which clients must recognize
 * (MCP Apps). Whether there are several is up to the configs alone, so that no server can change an address of another.
 */

import { sha256 } from "../../text/hash.ts";
import { decodedForms, maxRounds } from "../../text/uri_spellings.ts";

/** Most characters of an address. */
const maxLength = 4096;

/** A resource at its server. */
export interface ServerAddress {
  readonly server: string;
  readonly uri: string;
}

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

  /** True if addresses are those of the server. */
  get areUnchanged(): boolean {
    return this.#servers.size < 2;
  }

  /** The address that clients get for `uri` of `server`. */
  served(server: string, uri: string): string {
    return this.areUnchanged ? uri : this.qualified(server, uri);
  }

  /** The address with its server, even if there is only one. */
  qualified(server: string, uri: string): string {
    const prefix = this.#prefixes.get(server) ?? server;
    if (!uri.startsWith(uiScheme)) return `${prefix}+${uri}`;
    return `${uiScheme}${prefix}+${uri.slice(uiScheme.length)}`;
  }

  /** The resource at a qualified address; absent if `address` names no server. */
  original(address: string): ServerAddress | undefined {
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
  const used = new Set<string>();
  const plain = (name: string) => /^[a-z][a-z0-9.-]{0,62}$/.test(name);
  const prefixes = new Map<string, string>();
  // A name that is kept has precedence over one that is changed
  for (const name of [...servers.filter(plain), ...servers.filter((name) => !plain(name))]) {
    const part = name.toLowerCase().replace(/[^a-z0-9.-]/g, "-").replace(/^[^a-z]+/, "");
    const short = part.slice(0, 48).replace(/-+$/, "");
    const changed = `${short === "" ? "server" : short}-${sha256(name).slice(0, 8)}`;
    const prefix = plain(name) && !used.has(name) ? name : changed;
    used.add(prefix);
    prefixes.set(name, prefix);
  }
  return prefixes;
}

/** Returns why `uri` cannot be the address of a resource, or a template of addresses. */
export function whyNotAddress(uri: string): string | undefined {
  if (uri.length > maxLength) return `has over ${maxLength} characters`;
  const forms = decodedForms(uri);
  if (forms.length > maxRounds) return "is percent-encoded too often";
  for (const form of forms) {
    if (/[\p{Cc}\ufffd]/u.test(form)) return "has control characters";
    if (/(?:^|[\\/:])\.\.(?:[\\/?#]|$)/.test(form)) return "climbs out of its folder with '..'";
  }
  return undefined;
}
