/** Addresses to listen on. */

import { UsageError } from "../errors.ts";
import { quote } from "../text/excerpt.ts";

/** An address to listen on. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Parses `[HOST:]PORT`, an IPv6 address in brackets. @throws {UsageError} when it is neither */
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

/** Formats an address for a URL: an IPv6 address is in brackets. */
export function addressText({ host, port }: Address): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** True when only this machine reaches `host`. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
