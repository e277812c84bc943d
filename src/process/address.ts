/** Addresses to listen on. */

import { UsageError } from "../errors.ts";
import { quote } from "../text/excerpt.ts";

/** Where to listen. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** `[HOST:]PORT`, an IPv6 address in brackets. @throws {UsageError} when it is neither */
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

/** The address as a URL has it: an IPv6 address in brackets. */
export function addressText({ host, port }: Address): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Returns whether only this machine reaches `host`. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
