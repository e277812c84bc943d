/**
 * Which requests the page's port answers. Any page that a browser shows can send requests here, under
 * any name that its owner lets point to this machine, and any program of this machine can; neither
 * knows the token, and no page of another origin can send it unasked.
 */

import type { IncomingMessage } from "node:http";
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { quote } from "../text/excerpt.ts";
import type { Address } from "../process/address.ts";
import { nameCheck } from "../server/http/addresses.ts";
import { errorReply, type HttpReply } from "../server/http/answer.ts";

/** The header that has the token: one that no form sends, and no page of another origin may. */
const tokenHeader = "x-climax-token";

/** A random token of 256 bits. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** What a request wants: the page itself, which holds nothing; what is here; or to have something done. */
export type Wish = "page" | "read" | "write";

/** The reply to a request that is not answered; nothing where it is. */
export type Guard = (req: IncomingMessage, wish: Wish) => HttpReply | undefined;

/** Guards the port at `address`, which is one of this machine's own. */
export function guard(address: Address, token: string): Guard {
  const checkNames = nameCheck(address, { hosts: [], origins: [] });
  const origins = new Set(
    ["127.0.0.1", "localhost", "[::1]"].map((host) => `http://${host}:${address.port}`),
  );
  const expected = digest(token);
  return (req, wish) => {
    const { host, origin } = req.headers;
    if (checkNames(host, undefined) !== undefined) {
      return errorReply(403, `Requests for the host ${quote(host ?? "")} are not answered`);
    }
    const isForeign = origin !== undefined && !origins.has(origin) || isCrossSite(req);
    if (wish === "page") return isForeign ? foreign(origin) : undefined;
    if (isForeign || wish === "write" && origin === undefined) return foreign(origin);
    const given = req.headers[tokenHeader];
    if (typeof given === "string" && timingSafeEqual(digest(given), expected)) return undefined;
    return errorReply(
      401,
      "The token is missing or wrong: open the address that climax ui printed",
    );
  };
}

/** What the browser itself says of where a request comes from (Fetch Metadata); others say nothing. */
function isCrossSite(req: IncomingMessage): boolean {
  const site = req.headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return false;
  // A link somewhere else may lead here: the page that it opens has no token
  return req.headers["sec-fetch-mode"] !== "navigate";
}

function foreign(origin: string | undefined): HttpReply {
  const from = origin === undefined ? "without an origin" : `from pages of ${quote(origin)}`;
  return errorReply(403, `Requests ${from} are not answered`);
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
