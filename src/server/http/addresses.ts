/**
 * Checks the names in `Host` and `Origin`: a web page can make its browser send requests to this machine, under any
 * name that its owner points here.
 */

import { validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";
import { isIPv6 } from "node:net";
import { type Address, isLoopback } from "../../process/address.ts";
import { quote } from "../../text/excerpt.ts";

/** The names of this machine in `Host`. */
const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** Addresses for every interface, that of this machine alone included. */
const everywhere = ["0.0.0.0", "::"];

export interface Names {
  /** Allowed values of `Host`, without ports, in addition to those of the listening address. */
  readonly hosts: readonly string[];
  /** Allowed in `Origin`: names, of every scheme and port, and whole origins; on this machine its own names too. */
  readonly origins: readonly string[];
}

/** The refusal of a request, if any. */
export type NameCheck = (
  host: string | undefined,
  origin: string | undefined,
) => string | undefined;

/** The check for requests to `address`. */
export function nameCheck({ host }: Address, { hosts, origins }: Names): NameCheck {
  const own = isLoopback(host) ? loopbackNames : [];
  const literal = isIPv6(host) ? `[${host}]` : host;
  const reached = everywhere.includes(host) ? loopbackNames : own;
  const allowedHosts = [...reached, literal, ...hosts];
  const allowedNames = [...own, ...origins];
  // Most requests name the same one
  let lastAllowed: string | undefined;
  return (host, origin) => {
    if (host === undefined || host !== lastAllowed) {
      const checked = validateHostHeader(host, allowedHosts);
      if (!checked.ok) {
        const name = checked.hostname ?? host ?? "";
        return `Requests for the host ${quote(name)} are not answered: --allow-host allows it`;
      }
      lastAllowed = host;
    }
    if (origins.includes(origin ?? "")) return undefined;
    if (validateOriginHeader(origin, allowedNames).ok) return undefined;
    const remedy = URL.canParse(origin ?? "") ? ": --allow-origin allows them" : "";
    return `Requests from pages of ${quote(origin ?? "")} are not answered${remedy}`;
  };
}
