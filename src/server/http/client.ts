/** Identifies HTTP clients and finds their policies. A client without a policy of its own gets `default`, or no tools. */

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

export interface ClientRights {
  readonly name?: string | undefined;
  readonly scopes: readonly string[];
}

/** A client; if there is authentication, with its name and with its key from `identityKey()`. */
export type HttpClientIdentity =
  & ({ readonly name: string; readonly key: string } | {
    readonly name?: never;
    readonly key?: never;
  })
  & ClientRights
  & {
    /** When the client's token ends, in milliseconds since 1970. @default never */
    readonly expiresAt?: number;
  };

export interface Authenticator {
  authenticate(req: IncomingMessage): Promise<HttpClientIdentity | Refused>;
  accepts?(client: HttpClientIdentity): boolean;
  /** Returns the headers of a refusal that name the rights which the client lacks. */
  challenge?(req: IncomingMessage): Readonly<Record<string, string>>;
  /** Returns the metadata about logins at `path`, which clients may read without authentication. */
  metadata?(path: string, req: IncomingMessage): HttpReply | undefined;
}

export interface Refused {
  readonly reply: HttpReply;
}

/** Accepts every client without a token: only for addresses that no other machine reaches. */
export const anyone: Authenticator = {
  authenticate: () => Promise.resolve({ scopes: [] }),
};

/** Returns the token in `Authorization: Bearer TOKEN` (RFC 6750, section 2.1). */
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

export interface Clients {
  readonly policies: readonly string[];
  readonly scopes: readonly string[];
  policyFor(client: ClientRights): string | undefined;
}

/** @throws {ClimaxError} with every problem of the file of clients */
export async function readClients(path: string): Promise<Clients> {
  const read = await readTextFile(path);
  if (!read.ok) throw wrong([read.problem]);
  const document = await readDocument(path, read.text, clientsSchema, {
    check: (written) =>
      ["clients", "scopes"].flatMap((key) => {
        // zod drops the key `__proto__` without a word, so climax reports the key itself
        if (!Object.hasOwn(Object(ownProperty(written, key)), "__proto__")) return [];
        return [{ path: [key, "__proto__"], message: "'__proto__' cannot have a policy" }];
      }),
  });
  if (!document.ok) throw wrong(document.problems);
  const { clients, scopes, default: otherwise } = document.value;
  const absolute = (policy: string) => {
    // All policy files are protected before the first policy starts MCP servers, which could change a policy file
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
      // If a token has several scopes, the first one in the file decides: its author chooses, not the owner of the token
      for (const [scope, policy] of byScope) if (scopes.includes(scope)) return policy;
      return fallback;
    },
  };
}

function wrong(problems: readonly Problem[]): ClimaxError {
  return new FileError("The clients were not read", ...problems);
}
