/** Parses addresses to listen on, and the origins of `--allow-origin`. */

import { UsageError } from "../errors.ts";
import { quote } from "../text/excerpt.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Parses `[HOST:]PORT`, with an IPv6 address in brackets. @throws {UsageError} */
export function parseAddress(text: string): Address {
  const [, bracketed, host, digits] = /^(?:(?:\[([^\]]+)\]|([^:\[\]]+)):)?(\d{1,5})$/.exec(text) ??
    [];
  const port = Number(digits);
  if (digits === undefined || port > 65535) {
    throw new UsageError(
      `Not an address to listen on: ${quote(text)}`,
      "Expected [HOST:]PORT, such as 8080, 0.0.0.0:8080 or [::1]:8080",
    );
  }
  return { host: bracketed ?? host ?? "127.0.0.1", port };
}

export function addressText({ host, port }: Address): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Parses a host name or an origin, and writes it as browsers do (RFC 6454, section 6.1). @throws {UsageError} */
export function parseOrigin(text: string): string {
  const isName = /^(?:\[[\da-f:.]+\]|[^\s/\\:@?#*]+)$/i.test(text);
  const url = isName ? URL.parse(`http://${text}`) : URL.parse(text);
  const isOrigin = /^[a-z][a-z\d+.-]*:\/\/[^\s/\\@?#*]+\/?$/i.test(text);
  // `null` must not be allowed: sandboxed pages of every site have this origin
  if (url === null || text.toLowerCase() === "null" || !isName && !isOrigin) {
    throw new UsageError(
      `Not a website for --allow-origin: ${quote(text)}`,
      "Expected a name or an origin, such as app.example.org or https://app.example.org:8443",
    );
  }
  if (isName) return url.hostname;
  return url.origin === "null" ? `${url.protocol}//${url.host}` : url.origin;
}
