/** The permissions that the logins of servers take while calls run: their files, and where tokens are renewed. */

import { loginsFolder, stateVariables } from "../../../process/folders.ts";
import { type ServerSpec, variablesIn } from "../spec.ts";
import { takesLogin } from "./login.ts";
import { loginsAt } from "./stored_login.ts";

export interface LoginNeeds {
  readonly files: readonly string[];
  readonly env: readonly string[];
  /** `HOST:PORT` each. */
  readonly net: readonly string[];
}

export async function loginNeeds(specs: readonly ServerSpec[]): Promise<LoginNeeds> {
  const capable = specs.filter(takesLogin);
  if (capable.length === 0) return { files: [], env: [], net: [] };
  const folder = loginsFolder();
  const logins = await Promise.all(capable.map(({ name }) => loginsAt(name)));
  const secrets = capable.flatMap(({ auth }) => variablesIn(auth?.clientSecret ?? ""));
  return {
    files: folder === undefined ? [] : [folder],
    env: [...stateVariables, ...secrets],
    net: logins.flat().flatMap(({ tokenEndpoint }) => URL.parse(tokenEndpoint)?.host ?? []),
  };
}
