/**
 * Which policy holds for whom: a file of names and scopes, each with the path of a policy. Whoever
 * is not in it, and for whom it has no `default`, sees nothing.
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

/** What a file of clients comes to; policies are names, or absolute paths. */
export interface Clients {
  /** The policies, each once. */
  readonly policies: readonly string[];
  /** Scopes that somebody may need. */
  readonly scopes: readonly string[];
  /** The policy that holds for `client`; nothing for one that may see nothing. */
  policyFor(client: HttpClientIdentity): string | undefined;
}

/** Reads the file at `path`. @throws {ClimaxError} with every problem of it */
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
      // In the order of the file, so that the one who wrote it decides, not the one who has the token
      for (const [scope, policy] of byScope) if (scopes.includes(scope)) return policy;
      return fallback;
    },
  };
}

function wrong(problems: readonly Problem[]): ClimaxError {
  return new ClimaxError("The clients were not read", ExitCode.file, problems);
}
