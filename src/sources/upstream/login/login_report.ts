/** Says who is logged in at servers, and until when. */

import { requireVariable } from "../../../process/environment.ts";
import type { ServerSpec } from "../spec.ts";
import { loginKeyOf } from "./login.ts";
import { personName } from "./needed.ts";
import { loginsAt, type StoredLogin } from "./stored_login.ts";

/** Returns one line for each login at `spec`, without any credential. */
export async function loginReport(spec: ServerSpec): Promise<string[]> {
  const address = loginKeyOf(spec, requireVariable)?.address;
  const logins = await loginsAt(spec.name);
  return logins.flatMap((login) => {
    if (address === undefined) return [];
    return [login.address === address ? loginWords(login) : formerWords(login)];
  });
}

function formerWords({ person }: StoredLogin): string {
  const who = person === undefined ? "" : ` for '${personName(person)}'`;
  return `a login${who} at another address, which is not used`;
}

/** Describes the state of `login` for a person, without any credential. */
export function loginWords(login: StoredLogin, now: number = Date.now()): string {
  const { accessToken, refreshToken, expires, person } = login;
  const who = person === undefined ? "" : ` for '${personName(person)}'`;
  if (accessToken === undefined) return `login${who} has ended`;
  const isOver = expires !== undefined && expires <= now;
  if (isOver && refreshToken === undefined) return `login${who} has ended`;
  if (refreshToken !== undefined) return `logged in${who}, renewed as needed${untilWords(login)}`;
  return `logged in${who}${expires === undefined ? "" : untilWords(login)}`;
}

function untilWords({ expires, refreshToken }: StoredLogin): string {
  if (expires === undefined) return "";
  const time = new Date(expires).toISOString().replace(/\.\d+Z$/, "Z");
  return refreshToken === undefined ? ` until ${time}` : ` (access token until ${time})`;
}
