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
  /** Allowed names in `Origin`, without scheme and port; on this machine its own names are allowed too. */
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
  const allowedOrigins = [...own, ...origins];
  return (host, origin) => {
    const checked = validateHostHeader(host, allowedHosts);
    if (!checked.ok) {
      const name = checked.hostname ?? host ?? "";
      return `Requests for the host ${quote(name)} are not answered: --allow-host allows it`;
    }
    const from = validateOriginHeader(origin, allowedOrigins);
    if (from.ok) return undefined;
    const name = from.hostname ?? origin ?? "";
    return `Requests from pages of ${quote(name)} are not answered: --allow-origin allows them`;
  };
}
