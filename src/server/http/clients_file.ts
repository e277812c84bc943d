/**
 * Reads which policy applies to which client: a file of names and scopes with paths of policies. A client without an
 * entry, and without a `default`, sees no tools.
 */

import { dirname, resolve } from "node:path";
import * as z from "zod";
import { readDocument } from "../../files/document.ts";
import { readTextFile } from "../../files/text_file.ts";
import { isPolicyName } from "../../policy/locate.ts";
import { ClimaxError, ExitCode, type Problem } from "../../errors.ts";
import type { HttpClientIdentity } from "./client.ts";

const policyPath = z.string().min(1, "expected the path of a policy, found an empty text");

const clientsSchema = z.strictObject({
  clients: z.record(z.string(), policyPath).nullish(),
  scopes: z.record(z.string(), policyPath).nullish(),
  default: policyPath.optional(),
});

/** The policies are names, or absolute paths. */
export interface Clients {
  /** Without repeats. */
  readonly policies: readonly string[];
  /** All scopes in the file. */
  readonly scopes: readonly string[];
  /** The policy of `client`; nothing for a client without one. */
  policyFor(client: HttpClientIdentity): string | undefined;
}

/** @throws {ClimaxError} with every problem of the file */
export async function readClients(path: string): Promise<Clients> {
  const read = await readTextFile(path);
  if (!read.ok) throw wrong([read.problem]);
  const document = await readDocument(path, read.text, clientsSchema);
  if (!document.ok) throw wrong(document.problems);
  const { clients, scopes, default: otherwise } = document.value;
  const absolute = (policy: string) => {
    return isPolicyName(policy) ? policy : resolve(dirname(path), policy);
  };
  const byName = new Map(
    Object.entries(clients ?? {}).map(([name, policy]) => [name, absolute(policy)]),
  );
  const byScope = new Map(
    Object.entries(scopes ?? {}).map(([scope, policy]) => [scope, absolute(policy)]),
  );
  const fallback = otherwise === undefined ? undefined : absolute(otherwise);
  const policies = [
    ...byName.values(),
    ...byScope.values(),
    ...fallback === undefined ? [] : [fallback],
  ];
  return {
    policies: [...new Set(policies)],
    scopes: [...byScope.keys()],
    policyFor({ name, scopes }) {
      const own = name === undefined ? undefined : byName.get(name);
      if (own !== undefined) return own;
      // In the order of the file, so that its author decides, not the owner of the token
      for (const [scope, policy] of byScope) if (scopes.includes(scope)) return policy;
      return fallback;
    },
  };
}

function wrong(problems: readonly Problem[]): ClimaxError {
  return new ClimaxError("The clients were not read", ExitCode.file, problems);
}
