/** Sends the requests that renew and revoke a login. Errors quote no text of the server, which may repeat tokens. */

import {
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthClientFlowError,
  OAuthError,
  OAuthErrorCode,
  type OAuthTokens,
  refreshAuthorization,
  RegistrationRejectedError,
} from "@modelcontextprotocol/client";
import { oauthFetch } from "./authorization_server.ts";
import { reasonOf } from "../../../net/send_once.ts";
import type { StoredLogin } from "./stored_login.ts";

type Refreshed =
  | { readonly login: StoredLogin }
  /** `isFinal`: the token cannot be renewed later either, so a person must log in again. */
  | { readonly isFinal: boolean; readonly reason: string };

/** The OAuth errors after which a person must log in again (RFC 6749, section 5.2). */
const finalErrors: readonly string[] = [
  OAuthErrorCode.InvalidGrant,
  OAuthErrorCode.InvalidClient,
  OAuthErrorCode.UnauthorizedClient,
];

export async function refreshTokens(
  login: StoredLogin,
  secret: string | undefined,
  now: number,
): Promise<Refreshed> {
  try {
    const tokens = await refreshAuthorization(login.issuer, {
      metadata: metadataOf(login),
      clientInformation: clientOf(login, secret),
      refreshToken: login.refreshToken!,
      resource: login.resource,
      fetchFn: oauthFetch({
        server: new URL(login.address),
        secrets: [login.refreshToken, login.client.client_secret ?? secret],
      }),
    });
    return { login: withTokens(login, tokens, now) };
  } catch (error) {
    const isFinal = error instanceof InsecureTokenEndpointError ||
      error instanceof OAuthError && finalErrors.includes(error.code);
    return { isFinal, reason: failureReason(error) };
  }
}

/** A token counts as valid for at most this many seconds (ten years), since a longer time may give no valid date. */
const maxLifetime = 10 * 365 * 24 * 3600;

/** Returns `login` with `tokens`, received at the time `now`. @throws {Error} if the tokens cannot be used */
export function withTokens(
  { expires: _, ...login }: StoredLogin,
  tokens: OAuthTokens,
  now: number,
): StoredLogin {
  const { access_token, expires_in = 0, scope = login.scope } = tokens;
  // Some servers send an empty refresh token instead of none, so the previous one is kept then too
  const refresh_token = tokens.refresh_token || login.refreshToken;
  // A token of an unknown type must not be used (RFC 6749, section 7.1)
  if (tokens.token_type.toLowerCase() !== "bearer") {
    throw new Error("the authorization server gave a token of another type than Bearer");
  }
  // RFC 6750, section 2.1, allows fewer characters in a token, but some providers use all visible ASCII ones
  const odd = [access_token, refresh_token].find((each) => !/^[\x21-\x7e]*$/.test(each ?? ""));
  if (odd !== undefined || access_token === "") {
    throw new Error("the authorization server gave something that is not a token");
  }
  return {
    ...login,
    accessToken: access_token,
    ...refresh_token === undefined ? {} : { refreshToken: refresh_token },
    // A token without a lifetime is used until the server refuses the token
    ...expires_in > 0 ? { expires: now + Math.min(expires_in, maxLifetime) * 1000 } : {},
    ...scope === undefined ? {} : { scope },
  };
}

/** Tells the authorization server that the tokens of `login` are no longer used (RFC 7009). */
export async function revoke(login: StoredLogin, secret: string | undefined): Promise<void> {
  const { revocationEndpoint, refreshToken, accessToken } = login;
  const token = refreshToken ?? accessToken;
  if (revocationEndpoint === undefined || token === undefined) return;
  const { client_id, client_secret = secret } = login.client;
  const fetchFn = oauthFetch({ server: new URL(login.address), secrets: [token, client_secret] });
  const response = await fetchFn(revocationEndpoint, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({
      token,
      client_id,
      ...client_secret === undefined ? {} : { client_secret },
    }),
  });
  if (!response.ok) throw new Error(`status ${response.status}`);
}

function metadataOf({ issuer, tokenEndpoint, tokenEndpointAuthMethods: methods }: StoredLogin) {
  return {
    issuer,
    token_endpoint: tokenEndpoint,
    authorization_endpoint: tokenEndpoint,
    response_types_supported: ["code"],
    ...methods === undefined ? {} : { token_endpoint_auth_methods_supported: methods },
  };
}

function clientOf({ client }: StoredLogin, secret: string | undefined) {
  const { client_secret = secret, ...rest } = client;
  return { ...rest, ...client_secret === undefined ? {} : { client_secret } };
}

export function failureReason(error: unknown): string {
  if (error instanceof IssuerMismatchError) {
    return error.kind === "metadata"
      ? "its authorization server names itself otherwise in its metadata (RFC 8414)"
      : "the answer does not name its authorization server as its issuer (RFC 9207)";
  }
  if (error instanceof RegistrationRejectedError) {
    return `its authorization server refuses to register climax: status ${error.status}`;
  }
  if (error instanceof OAuthClientFlowError) return error.message;
  if (error instanceof OAuthError) {
    return error.code === OAuthErrorCode.ServerError
      ? "its authorization server has an error"
      : `its authorization server refuses: ${errorCode(error.code)}`;
  }
  // A parser's message quotes a part of the answer, which may have tokens, so it is not shown
  const isParsed = error instanceof SyntaxError ||
    Array.isArray((error as { readonly issues?: unknown } | null)?.issues);
  return isParsed ? "its authorization server gave an answer of no known form" : reasonOf(error);
}

/** Returns `text` if it can be an error code of OAuth; other texts are not shown, since they may have tokens. */
export function errorCode(text: string): string {
  return /^[\w.-]{1,60}$/.test(text) ? text : "an error of no known form";
}
