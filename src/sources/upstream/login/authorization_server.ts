/** Finds authorization servers (RFC 9728, RFC 8414). They are untrusted, so climax asks only safe addresses. */

import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  type FetchLike,
} from "@modelcontextprotocol/client";
import { isReadableOnTheWay, sendOnce } from "../../../net/send_once.ts";
import { isLoopback } from "../../../process/address.ts";

export const maxAnswerBytes = 256 * 1024;

/** An authorization server has this many milliseconds for a whole answer. */
const answerMs = 15_000;

interface OauthFetchOptions {
  readonly server: URL;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly secrets?: readonly (string | undefined)[];
}

/** Makes a `fetch` for requests to authorization servers. Errors are a `TypeError`, as the SDK ignores any other. */
export function oauthFetch(
  { server, signal, timeoutMs = answerMs, secrets = [] }: OauthFetchOptions,
): FetchLike {
  return async (input, init) => {
    const url = requireSafe(input, "an address of its authorization server", server);
    const deadline = AbortSignal.timeout(timeoutMs);
    const signals = AbortSignal.any([deadline, ...(signal ? [signal] : [])]);
    try {
      const options = { maxBytes: maxAnswerBytes, secrets };
      return await sendOnce(url, { ...init, signal: signals }, options);
    } catch (error) {
      if (!deadline.aborted) throw error;
      const late = `gave no answer within ${timeoutMs / 1000} s`;
      throw new TypeError(`${url.origin} ${late}`);
    }
  };
}

/** Returns `address` as a URL. @throws {TypeError} if another machine could pretend to be its host */
export function requireSafe(address: string | URL, what: string, server: URL): URL {
  const unsafe = (reason: string) => {
    return new TypeError(`${what} is not safe: ${reason}`);
  };
  const url = URL.parse(String(address));
  if (url === null) throw unsafe("it is not a URL");
  const { protocol, username, password } = url;
  if (protocol !== "https:" && protocol !== "http:") {
    throw unsafe(`it begins with '${protocol.slice(0, 40)}', not with https:`);
  }
  if (username !== "" || password !== "") throw unsafe("it has a user's name in it");
  const host = hostOf(url);
  if (isPrivate(host) && !isPrivate(hostOf(server))) {
    throw unsafe(`'${host}' is in a private network, and the server is not`);
  }
  if (isOwnMachine(host) && !isOwnMachine(hostOf(server))) {
    throw unsafe(`'${host}' is this machine, and the server is not on it`);
  }
  if (isReadableOnTheWay(url)) throw unsafe("it does not begin with https:");
  return url;
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "").replace(/(?<!\.)\.+$/, "");
}

/** Matches host names that may mean another machine in another network, such as `router` and `db.internal`. */
const privateNames =
  /(?:^[^.:]+|(?:^|\.)fritz\.box|\.(?:localhost|local|internal|intranet|lan|home|corp|home\.arpa|localdomain|svc|consul))$/i;

/** Matches IPv4 addresses outside the public internet (IANA, special-purpose address registry). */
const privateBlocks =
  /^(?:0|10|127|169\.254|192\.0\.[02]|198\.51\.100|203\.0\.113|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])|198\.1[89]|22[4-9]|2[3-5]\d)\./;

function isOwnMachine(host: string): boolean {
  return isLoopback(host) || /(?:^|\.)localhost$/i.test(host) || host === "0.0.0.0" ||
    host === "::";
}

/** Returns whether `host` is this machine or in a private network. Public IPv6 addresses are in 2000::/3 (IANA). */
function isPrivate(host: string): boolean {
  if (host.includes(":")) {
    return !/^[23][0-9a-f]{3}:/i.test(host) || /^2002:|^2001:(?:0?:|db8:)/i.test(host);
  }
  return isLoopback(host) || privateNames.test(host) || privateBlocks.test(host);
}

export interface AuthorizationServer {
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  /** The address that tokens are requested for: that of the MCP server, or what it names (RFC 8707). */
  readonly resource: string;
  /** The scopes that the MCP server asks for; if empty, the authorization server decides. */
  readonly scopes: readonly string[];
}

/** Addresses of an authorization server that get credentials or are shown to a person, so they must be safe. */
const endpoints = [
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
  "revocation_endpoint",
] as const;

/** Finds the server at which a person logs in to `server`. @throws {Error} with the reason if there is none */
export async function findAuthorizationServer(
  server: URL,
  headers: Readonly<Record<string, string>>,
  fetchFn: FetchLike,
): Promise<AuthorizationServer> {
  const response = await fetchFn(server, {
    method: "POST",
    headers: {
      ...headers,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    redirect: "manual",
  });
  const { resourceMetadataUrl, scope }: ReturnType<typeof extractWWWAuthenticateParams> =
    response.status === 401 ? extractWWWAuthenticateParams(response) : {};
  if (resourceMetadataUrl !== undefined && resourceMetadataUrl.origin !== server.origin) {
    const { origin } = resourceMetadataUrl;
    throw new TypeError(`it names metadata of another origin, ${origin}`);
  }
  const found = await discoverOAuthServerInfo(server, {
    fetchFn,
    ...resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl },
  });
  const { authorizationServerMetadata: metadata, resourceMetadata } = found;
  if (metadata === undefined) {
    throw new Error("it asks for no login: neither it nor its authorization server has metadata");
  }
  // A client must refuse a server that does not declare PKCE (MCP, authorization), but the SDK accepts such a server
  if (!metadata.code_challenge_methods_supported?.includes("S256")) {
    throw new TypeError("its authorization server does not support PKCE with S256");
  }
  const { revocation_endpoint } = metadata as { revocation_endpoint?: string };
  const addresses = { ...metadata, revocation_endpoint };
  for (const key of endpoints) {
    const address = addresses[key];
    if (address !== undefined) requireSafe(address, `'${key}'`, server);
  }
  const own = server.href.replace(/#.*/, "");
  const resource = resourceMetadata?.resource ?? own;
  if (!checkResourceAllowed({ requestedResource: own, configuredResource: resource })) {
    throw new TypeError("its metadata are those of another resource");
  }
  const scopes = scope?.split(/\s+/) ?? resourceMetadata?.scopes_supported ?? [];
  return { issuer: metadata.issuer, metadata, resource, scopes };
}
