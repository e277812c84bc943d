/** The identity of HTTP clients, and the policy of each: one without an entry or `default` sees no tools. */

import * as z from "zod";
import type { IncomingMessage } from "node:http";
import type { HttpReply } from "./answer.ts";
import { dirname, resolve } from "node:path";
import { readDocument } from "../../files/document.ts";
import { readTextFile } from "../../files/text_file.ts";
import { ownProperty } from "../../text/own_property.ts";
import { isPolicyName } from "../../policy/locate.ts";
import { protect } from "../../process/protected_paths.ts";
import { type ClimaxError, FileError, type Problem } from "../../errors.ts";

interface KnownClient {
  /** Unique for its authenticator; used in the audit log. */
  readonly name: string;
  /** Identifies the client in files and in the store, see `identityKey()`. */
  readonly key: string;
}

interface UnknownClient {
  readonly name?: undefined;
  readonly key?: undefined;
}

/** The policy of a client is found by these. */
export interface ClientRights {
  readonly name?: string | undefined;
  readonly scopes: readonly string[];
}

/** A client; without authentication it is not known. */
export type HttpClientIdentity = (KnownClient | UnknownClient) & ClientRights & {
  /** The end of its token, in milliseconds since 1970. @default it has none */
  readonly expiresAt?: number;
};

export interface Authenticator {
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

/** Returns the token of `Authorization: Bearer TOKEN` (RFC 6750, section 2.1), if there is one. */
export function bearerToken(req: IncomingMessage): string | undefined {
  const [, token] = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(req.headers.authorization ?? "") ??
    [];
  return token;
}

const policyPath = z.string().min(1, "expected the path of a policy, found an empty text");

const clientsSchema = z.strictObject({
  clients: z.record(z.string(), policyPath).nullish(),
  scopes: z.record(z.string(), policyPath).nullish(),
  default: policyPath.optional(),
});

/** The policies are names, or absolute paths. */
export interface Clients {
  /** The policies, each once. */
  readonly policies: readonly string[];
  readonly scopes: readonly string[];
  /** Returns the policy of `client`; nothing for a client without one. */
  policyFor(client: ClientRights): string | undefined;
}

/** @throws {ClimaxError} with every problem of the file */
export async function readClients(path: string): Promise<Clients> {
  const read = await readTextFile(path);
  if (!read.ok) throw wrong([read.problem]);
  const document = await readDocument(path, read.text, clientsSchema, {
    check: (written) =>
      ["clients", "scopes"].flatMap((key) => {
        // The schema would drop this key, and its policy with it
        if (!Object.hasOwn(Object(ownProperty(written, key)), "__proto__")) return [];
        return [{ path: [key, "__proto__"], message: "'__proto__' cannot have a policy" }];
      }),
  });
  if (!document.ok) throw wrong(document.problems);
  const { clients, scopes, default: otherwise } = document.value;
  const absolute = (policy: string) => {
    // The servers of a policy start before the next policy is read, so all are protected now
    return isPolicyName(policy) ? policy : protect(resolve(dirname(path), policy));
  };
  const policiesOf = (named: Readonly<Record<string, string>> | null | undefined) => {
    return new Map(Object.entries(named ?? {}).map(([name, policy]) => [name, absolute(policy)]));
  };
  const [byName, byScope] = [policiesOf(clients), policiesOf(scopes)];
  const fallback = otherwise === undefined ? undefined : absolute(otherwise);
  const policies = new Set([...byName.values(), ...byScope.values()]);
  if (fallback !== undefined) policies.add(fallback);
  return {
    policies: [...policies],
    scopes: [...byScope.keys()],
    policyFor({ name, scopes }) {
      const own = name === undefined ? undefined : byName.get(name);
      if (own !== undefined) return own;
      // The author of the file decides the order, not the owner of the token
      for (const [scope, policy] of byScope) if (scopes.includes(scope)) return policy;
      return fallback;
    },
  };
}

function wrong(problems: readonly Problem[]): ClimaxError {
  return new FileError("The clients were not read", ...problems);
}
