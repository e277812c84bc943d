/** The identity of HTTP clients, and how they prove it. */

import type { IncomingMessage } from "node:http";
import type { HttpReply } from "./answer.ts";

export interface HttpClientIdentity {
  /** Unique; used in the audit log. Absent without authentication. */
  readonly name?: string;
  readonly scopes: readonly string[];
  /** The end of its token, in milliseconds since 1970. @default it has none */
  readonly expiresAt?: number;
}

export interface Authenticator {
  /** The client of `req`, or the refusal. */
  authenticate(req: IncomingMessage): Promise<HttpClientIdentity | Refused>;
  /** Returns whether the token of `client`, as {@linkcode authenticate} returned it, is still accepted. @default it is */
  accepts?(client: HttpClientIdentity): boolean;
  /** Headers about missing rights, for a known client without any. */
  challenge?(req: IncomingMessage): Readonly<Record<string, string>>;
  /** The reply to unauthenticated requests for metadata at a path of its own. */
  metadata?(path: string, req: IncomingMessage): HttpReply | undefined;
}

export interface Refused {
  readonly reply: HttpReply;
}

/** No authentication: for addresses that only this machine reaches. */
export const anyone: Authenticator = {
  authenticate: () => Promise.resolve({ scopes: [] }),
};

/** The token of `Authorization: Bearer TOKEN` (RFC 6750, section 2.1), if there is one. */
export function bearerToken(req: IncomingMessage): string | undefined {
  const [, token] = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(req.headers.authorization ?? "") ??
    [];
  return token;
}
