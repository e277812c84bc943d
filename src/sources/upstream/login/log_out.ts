/** Ends logins: the files are removed, and the authorization server is told. */

import type { Environment } from "../../../files/expand.ts";
import type { ServerSpec } from "../spec.ts";
import { failureReason, revoke } from "./token_requests.ts";
import { loginKeyOf, secretOf } from "./login.ts";
import { type LoginKey, loginsAt, removeLogin, withLoginLocked } from "./stored_login.ts";

/**
 * Removes the logins of `person` (as of a {@linkcode LoginKey}), also those at former addresses of the server. Returns
 * how many, and why the authorization server does not know of it, if it does not.
 *
 * @throws {ClimaxError} if a file cannot be removed
 */
export async function logOut(
  spec: ServerSpec,
  { environment, person }: { readonly environment: Environment } & Pick<LoginKey, "person">,
) {
  const logins = (await loginsAt(spec.name)).filter((login) => login.person === person);
  let unrevoked: string | undefined;
  for (const login of logins) {
    await withLoginLocked(login, () => removeLogin(login));
    const isSame = login.address === loginKeyOf(spec, environment)?.address;
    try {
      await revoke(login, isSame ? secretOf(login, spec, environment) : undefined);
    } catch (error) {
      unrevoked = failureReason(error);
    }
  }
  return { count: logins.length, unrevoked };
}
