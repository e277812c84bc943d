/** START HERE for `climax login`: a person agrees in a browser, and tokens are stored (OAuth 2.1, MCP 2026-07-28). */

import {
  exchangeAuthorization,
  type FetchLike,
  registerClient,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from "@modelcontextprotocol/client";
import { randomBytes } from "node:crypto";
import { abortable } from "../../../async/deadline.ts";
import { ClimaxError } from "../../../errors.ts";
import { type Environment, expand } from "../../../files/expand.ts";
import { describeReach, type ServerSpec, type UrlSpec } from "../spec.ts";
import { type CallbackAnswer, openCallback, parsePasted } from "./callback.ts";
import {
  type AuthorizationServer,
  findAuthorizationServer,
  oauthFetch,
  requireSafe,
} from "./authorization_server.ts";
import { errorCode, failureReason, withTokens } from "./token_requests.ts";
import { loginKeyOf } from "./login.ts";
import {
  type LoginKey,
  readLogin,
  type StoredLogin,
  withLoginLocked,
  writeLogin,
} from "./stored_login.ts";

export interface LogInOptions {
  readonly environment: Environment;
  readonly person?: string | undefined;
  /** Scopes to request besides those of the server and of the login that is there already. */
  readonly scopes?: readonly string[];
  /** Shows or opens the page at which the person agrees; `tokenHost` is the host that then gets the code. */
  readonly show: (address: URL, tokenHost: string) => void;
  /** Asks for the address that a browser elsewhere shows after the login; absent if nobody can paste it. */
  readonly paste?: ((signal: AbortSignal) => Promise<string | undefined>) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A server has this many milliseconds for an answer. @default 15 seconds */
  readonly timeoutMs?: number | undefined;
}

/** The person has this many milliseconds to agree. */
const personMs = 10 * 60_000;

/** Logs a person in to a server. @throws {Error} with the reason, which quotes no text of the authorization server */
export async function logIn(spec: ServerSpec, options: LogInOptions): Promise<StoredLogin> {
  try {
    return await logInOnce(spec, options);
  } catch (error) {
    if (error instanceof ClimaxError) throw error;
    throw new Error(failureReason(error), { cause: error });
  }
}

async function logInOnce(spec: ServerSpec, options: LogInOptions): Promise<StoredLogin> {
  const { environment, person, scopes = [], signal, timeoutMs } = options;
  const key = requireKey(spec, environment, person);
  const { url, headers } = describeReach(spec.transport, environment) as UrlSpec;
  const server = requireSafe(url, "its address", new URL(url));
  const fetchFn = oauthFetch({ server, signal, timeoutMs });
  const found = await findAuthorizationServer(server, headers, fetchFn);
  const { issuer = found.issuer } = spec.auth ?? {};
  if (issuer.replace(/\/$/, "") !== found.issuer.replace(/\/$/, "")) {
    throw new Error(`it sends to ${found.issuer} to log in, and its config names ${issuer}`);
  }
  const before = await readLogin(key);
  const granted = before?.issuer === found.issuer ? before.scope?.split(" ") ?? [] : [];
  const wanted = scopesOf(found, [...spec.auth?.scopes ?? found.scopes, ...granted, ...scopes]);
  const state = randomBytes(32).toString("base64url");
  await using callback = openCallback(state);
  const { redirectUrl } = callback;
  const attempt = { found, environment, redirectUrl, wanted, fetchFn };
  const client = await chooseClient(spec, attempt);
  const { information: clientInformation } = client;
  const { authorizationUrl, codeVerifier } = await startAuthorization(found.issuer, {
    metadata: found.metadata,
    clientInformation,
    redirectUrl,
    state,
    resource: found.resource,
    ...wanted === "" ? {} : { scope: wanted },
  });
  const page = requireSafe(authorizationUrl, "its page of login", server);
  options.show(page, new URL(found.metadata.token_endpoint).host);
  const answer = await answerOf(callback.answer, state, options);
  const tokens = await tokensFor(answer, attempt, { clientInformation, codeVerifier });
  const login = withTokens(loginOf(key, found, client), tokens, Date.now());
  const stored = wanted === "" ? login : { scope: wanted, ...login };
  await withLoginLocked(key, () => writeLogin(stored));
  return stored;
}

function requireKey(spec: ServerSpec, environment: Environment, person: string | undefined) {
  const { transport } = spec;
  if (transport.kind !== "http") {
    throw new Error(`a server with 'transport: ${transport.kind}' takes no login`);
  }
  const key = loginKeyOf(spec, environment, person);
  if (key !== undefined) return key;
  describeReach(transport, environment);
  throw new Error("its config has an 'Authorization' header, which is sent instead of a login");
}

/** Joins scopes, and adds `offline_access`, which asks for a refresh token, if the authorization server has it. */
function scopesOf({ metadata }: AuthorizationServer, scopes: readonly string[]): string {
  const offline = metadata.scopes_supported?.includes("offline_access") ? ["offline_access"] : [];
  return [...new Set([...scopes, ...scopes.length > 0 ? offline : []])].join(" ");
}

async function answerOf(
  callback: Promise<CallbackAnswer>,
  state: string,
  { paste, signal }: LogInOptions,
): Promise<CallbackAnswer> {
  const done = new AbortController();
  const late = AbortSignal.timeout(personMs);
  const ended = AbortSignal.any([done.signal, late, ...signal ? [signal] : []]);
  const readPasted = async (): Promise<CallbackAnswer> => {
    const text = await paste?.(ended);
    if (text === undefined) return await callback;
    const answer = parsePasted(text, state);
    if ("reason" in answer) throw new Error(`what was pasted cannot be used: ${answer.reason}`);
    return answer;
  };
  try {
    const answer = await abortable(Promise.race([callback, readPasted()]), ended);
    if (answer !== "aborted") return answer;
    const reason = `there was no answer within ${personMs / 60_000} minutes`;
    throw new Error(late.aborted ? reason : "the login was cancelled");
  } finally {
    done.abort();
  }
}

interface Attempt {
  readonly found: AuthorizationServer;
  readonly environment: Environment;
  readonly redirectUrl: string;
  readonly wanted: string;
  readonly fetchFn: FetchLike;
}

async function tokensFor(
  answer: CallbackAnswer,
  { found: { metadata, issuer, resource }, redirectUrl, fetchFn }: Attempt,
  own: { readonly clientInformation: LoginClient["information"]; readonly codeVerifier: string },
) {
  const issParameterSupported = (metadata as Record<string, unknown>)[issParameter] === true;
  // An answer from another authorization server than the one that was asked must be refused unread (RFC 9207)
  validateAuthorizationResponseIssuer({
    iss: answer.iss,
    expectedIssuer: issuer,
    issParameterSupported,
  });
  if ("error" in answer) throw new Error(`it was refused there: ${errorCode(answer.error)}`);
  return await exchangeAuthorization(issuer, {
    ...own,
    metadata,
    authorizationCode: answer.code,
    ...answer.iss === undefined ? {} : { iss: answer.iss },
    redirectUri: redirectUrl,
    resource,
    fetchFn,
  });
}

const issParameter = "authorization_response_iss_parameter_supported";

function loginOf(
  key: LoginKey,
  { issuer, metadata, resource }: AuthorizationServer,
  { information, isPreregistered }: LoginClient,
): StoredLogin {
  const { client_id, client_secret, token_endpoint_auth_method } = information;
  const { revocation_endpoint } = metadata as { revocation_endpoint?: string };
  const { token_endpoint_auth_methods_supported: methods, token_endpoint } = metadata;
  const secret = isPreregistered ? undefined : client_secret;
  return {
    version: 1,
    ...key,
    issuer,
    tokenEndpoint: token_endpoint,
    tokenEndpointAuthMethods: methods,
    revocationEndpoint: revocation_endpoint,
    resource,
    client: { client_id, client_secret: secret, token_endpoint_auth_method },
    isPreregistered,
  };
}

interface LoginClient {
  readonly information: StoredLogin["client"];
  readonly isPreregistered: boolean;
}

/** Takes the OAuth client from the config, or registers one. @throws {Error} that says what a person must do */
async function chooseClient(
  { auth = {} }: ServerSpec,
  { found: { issuer, metadata }, environment, redirectUrl, wanted, fetchFn }: Attempt,
): Promise<LoginClient> {
  const { clientId, clientSecret } = auth;
  if (clientId !== undefined) {
    const information = {
      client_id: expandText(clientId, environment),
      client_secret: clientSecret && expandText(clientSecret, environment),
    };
    return { information, isPreregistered: true };
  }
  if (metadata.registration_endpoint === undefined) {
    throw new Error(
      "its authorization server registers no client by itself: register one there with the redirect " +
        'address http://127.0.0.1/callback, and add it to the entry: "auth": { "clientId": "…" }',
    );
  }
  const registered = await registerClient(issuer, {
    metadata,
    clientMetadata: {
      client_name: "climax",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      application_type: "native",
    },
    ...wanted === "" ? {} : { scope: wanted },
    fetchFn,
  });
  return { information: registered, isPreregistered: false };
}

function expandText(text: string, environment: Environment): string {
  const { text: value, unset: [variable] } = expand(text, (name) => environment(name) || undefined);
  if (variable !== undefined) throw new Error(`it needs a variable that is not set: $${variable}`);
  return value;
}
