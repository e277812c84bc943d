/** Who is logged in at servers, and until when, for `list` and `doctor`. */

import { requiredVariable } from "../../../process/environment.ts";
import type { ServerSpec } from "../spec.ts";
import { loginKeyOf } from "./login.ts";
import { loginWords } from "./login_words.ts";
import { loginsAt, type StoredLogin } from "./stored_login.ts";

/** One line for each login at `spec`, without any credential. */
export async function loginReport(spec: ServerSpec): Promise<string[]> {
  const address = loginKeyOf(spec, requiredVariable)?.address;
  const logins = await loginsAt(spec.name);
  return logins.flatMap((login) => {
    if (address === undefined) return [];
    return [login.address === address ? loginWords(login) : formerWords(login)];
  });
}

function formerWords({ person }: StoredLogin): string {
  const who = person === undefined ? "" : ` for '${person}'`;
  return `a login${who} at another address, which is not used`;
}
