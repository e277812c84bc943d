/** Who sends a request, and who may. */

import type { IncomingMessage } from "node:http";
import type { HttpReply } from "./answer.ts";

/** Someone who may send requests. */
export interface HttpClientIdentity {
  /** Unique; what the audit log has. Absent where nobody has to say who they are. */
  readonly name?: string;
  readonly scopes: readonly string[];
}

/** How clients show who they are. */
export interface Authenticator {
  /** The client that sends `req`, or the reply that refuses it. */
  authenticate(req: IncomingMessage): Promise<HttpClientIdentity | Refused>;
  /** Headers that tell a client what it lacks, when it is known and may do nothing. */
  challenge?(req: IncomingMessage): Readonly<Record<string, string>>;
  /** What is answered to whoever wants to know how, at a path of its own. */
  metadata?(path: string, req: IncomingMessage): HttpReply | undefined;
}

/** A request that is not carried out. */
export interface Refused {
  readonly reply: HttpReply;
}

/** Nobody has to say who they are: for addresses that only this machine reaches. */
export const anyone: Authenticator = {
  authenticate: () => Promise.resolve({ scopes: [] }),
};

/** The token of `Authorization: Bearer TOKEN` (RFC 6750, section 2.1); nothing where there is none. */
export function bearerToken(req: IncomingMessage): string | undefined {
  const [, token] = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(req.headers.authorization ?? "") ??
    [];
  return token;
}
