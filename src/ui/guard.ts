/**
 * Decides which requests the page's port answers. Any page in a browser can send requests here, by a name
 * that its owner points to this machine, and so can any local program. Neither knows the token, and no page
 * of another origin can send it.
 */

import type { IncomingMessage } from "node:http";
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { quote } from "../text/excerpt.ts";
import type { Address } from "../process/address.ts";
import { nameCheck } from "../server/http/addresses.ts";
import { errorReply, type HttpReply } from "../server/http/answer.ts";

/** The header with the token: forms and pages of other origins cannot send it. */
const tokenHeader = "x-climax-token";

/** A random token of 256 bits. */
export function newPageToken(): string {
  return randomBytes(32).toString("base64url");
}

/** The access of a request: the page itself, which has no data; reading; or an action. */
export type Wish = "page" | "read" | "write";

/** Returns the reply to a refused request; `undefined` for an allowed one. */
export type Guard = (req: IncomingMessage, wish: Wish) => HttpReply | undefined;

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

/** True when the browser reports another origin (Fetch Metadata); other clients report nothing. */
function isCrossSite(req: IncomingMessage): boolean {
  const site = req.headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return false;
  // A link on another page may lead here: the page that it opens has no token
  return req.headers["sec-fetch-mode"] !== "navigate";
}

function foreign(origin: string | undefined): HttpReply {
  const from = origin === undefined ? "without an origin" : `from pages of ${quote(origin)}`;
  return errorReply(403, `Requests ${from} are not answered`);
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
