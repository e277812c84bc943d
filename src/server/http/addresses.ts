/**
 * Which names a request may ask for, and from which pages it may come: a page that a browser shows
 * can make it send requests here, under any name that the page's owner lets point to this machine.
 */

import { validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";
import { isIPv6 } from "node:net";
import { type Address, isLoopback } from "../../process/address.ts";
import { quote } from "../../text/excerpt.ts";

/** The names of this machine for itself, as the header `Host` has them. */
const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** What a request may name. */
export interface Names {
  /** Values of `Host`, without ports; those of the address listened on are allowed besides. */
  readonly hosts: readonly string[];
  /** Names in `Origin`, without scheme and port; those of this machine are allowed on it. */
  readonly origins: readonly string[];
}

/** The reason why a request is refused for the names in it; nothing where it is not. */
export type NameCheck = (
  host: string | undefined,
  origin: string | undefined,
) => string | undefined;

/** Checks requests that come to `address`. */
export function nameCheck({ host }: Address, { hosts, origins }: Names): NameCheck {
  const own = isLoopback(host) ? loopbackNames : [];
  const literal = isIPv6(host) ? `[${host}]` : host;
  const allowedHosts = [...own, literal, ...hosts];
  const allowedOrigins = [...own, ...origins];
  return (host, origin) => {
    const asked = validateHostHeader(host, allowedHosts);
    if (!asked.ok) {
      const name = asked.hostname ?? host ?? "";
      return `Requests for the host ${quote(name)} are not answered: --allow-host allows it`;
    }
    const from = validateOriginHeader(origin, allowedOrigins);
    if (from.ok) return undefined;
    const name = from.hostname ?? origin ?? "";
    return `Requests from pages of ${quote(name)} are not answered: --allow-origin allows them`;
  };
}
