/** A `fetch` that sends the token of a login to its server, and to no other origin. */

import { extractWWWAuthenticateParams, type FetchLike } from "@modelcontextprotocol/client";
import { scopePattern } from "../schema.ts";
import type { Login } from "./login.ts";

/** Renews the token when the server rejects it, and repeats the request once. */
export function loginFetch(login: Login, inner: FetchLike): FetchLike {
  const { origin } = new URL(login.address);
  return async (url, init) => {
    if (new URL(url).origin !== origin) return await inner(url, init);
    const token = await login.token();
    const response = await inner(url, withToken(init, token));
    if (response.status !== 401) return await permitted(response, login);
    await response.body?.cancel();
    if (token === undefined) throw login.needed();
    const repeated = await inner(url, withToken(init, await login.renew(token)));
    if (repeated.status !== 401) return await permitted(repeated, login);
    await repeated.body?.cancel();
    throw login.needed("does not accept its login");
  };
}

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit {
  const headers = new Headers(init?.headers);
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  return { ...init, headers };
}

async function permitted(response: Response, login: Login): Promise<Response> {
  if (response.status !== 403) return response;
  const { error, scope = "" } = extractWWWAuthenticateParams(response);
  if (error !== "insufficient_scope") return response;
  await response.body?.cancel();
  throw login.scopesNeeded(scope.split(/\s+/).filter((each) => scopePattern.test(each)));
}
