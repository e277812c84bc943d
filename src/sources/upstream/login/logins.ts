/** Lists the logins of people at a server, and ends them. */

import type { Environment } from "../../../files/expand.ts";
import { requireVariable } from "../../../process/environment.ts";
import type { ServerSpec } from "../spec.ts";
import { loginKeyOf, personName, secretOf } from "./login.ts";
import {
  type LoginKey,
  loginsAt,
  removeLogin,
  type StoredLogin,
  withLoginLocked,
} from "./stored_login.ts";

/** Returns one line for each login at the present address of a server. No line has a credential. */
export async function loginReport(spec: ServerSpec): Promise<string[]> {
  const address = loginKeyOf(spec, requireVariable)?.address;
  const logins = await loginsAt(spec.name);
  return logins.filter((login) => login.address === address).map((login) => loginWords(login));
}

export function loginWords(login: StoredLogin, now: number = Date.now()): string {
  const { accessToken, refreshToken, expires = Infinity, person } = login;
  const who = person === undefined ? "" : ` for '${personName(person)}'`;
  const isOver = accessToken === undefined || expires <= now && refreshToken === undefined;
  if (isOver) return `login${who} has ended`;
  if (refreshToken !== undefined) return `logged in${who}, renewed as needed`;
  if (expires === Infinity) return `logged in${who}`;
  return `logged in${who} until ${new Date(expires).toISOString().replace(/\.\d+Z$/, "Z")}`;
}

/** Removes the logins of `person`. Returns why a token could not be revoked, if so. @throws {ClimaxError} */
export async function logOut(
  spec: ServerSpec,
  { environment, person }: { readonly environment: Environment } & Pick<LoginKey, "person">,
) {
  const logins = (await loginsAt(spec.name)).filter((login) => login.person === person);
  let unrevoked: string | undefined;
  for (const login of logins) {
    await withLoginLocked(login, () => removeLogin(login));
    const isSame = login.address === loginKeyOf(spec, environment)?.address;
    const { failureReason, revoke } = await import("./token_requests.ts");
    try {
      await revoke(login, isSame ? secretOf(login, spec, environment) : undefined);
    } catch (error) {
      unrevoked = failureReason(error);
    }
  }
  return { count: logins.length, unrevoked };
}
