/** Says in words who is logged in, and until when. */

import type { StoredLogin } from "./stored_login.ts";

/** The state of `login` for a person, without any credential. */
export function loginWords(login: StoredLogin, now: number = Date.now()): string {
  const { accessToken, refreshToken, expires, person } = login;
  const who = person === undefined ? "" : ` for '${person}'`;
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
