/** Finds the authorization server (RFC 9728, RFC 8414). It refuses unsafe addresses, and servers without PKCE. */

import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  type FetchLike,
} from "@modelcontextprotocol/client";
import { requireSafe, UnsafeAuthorizationError } from "./oauth_fetch.ts";

export interface AuthorizationServer {
  /** The issuer that the metadata name. */
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  /** The resource indicator (RFC 8707). */
  readonly resource: string;
  /** The scopes that the MCP server asks for; empty: the authorization server decides. */
  readonly scopes: readonly string[];
}

/** Keys of the metadata with addresses that get credentials, or that a person is shown. */
const endpoints = [
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
  "revocation_endpoint",
] as const;

/** @throws {Error} with the reason why no person can log in there */
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
    throw new UnsafeAuthorizationError(`it names metadata of another origin, ${origin}`);
  }
  const found = await discoverOAuthServerInfo(server, {
    fetchFn,
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
  }).catch((error) => {
    throw invalidMetadata(error) ?? error;
  });
  const { authorizationServerMetadata: metadata, resourceMetadata } = found;
  if (metadata === undefined) {
    throw new Error("it asks for no login: neither it nor its authorization server has metadata");
  }
  // A client must refuse a server that does not name PKCE (MCP, authorization). The SDK accepts one that names nothing
  if (!metadata.code_challenge_methods_supported?.includes("S256")) {
    throw new UnsafeAuthorizationError("its authorization server does not support PKCE with S256");
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
    throw new UnsafeAuthorizationError("its metadata are those of another resource");
  }
  const scopes = scope?.split(/\s+/) ?? resourceMetadata?.scopes_supported ?? [];
  return { issuer: metadata.issuer, metadata, resource, scopes };
}

/** Says in one line which part of the metadata a schema of the SDK has refused. */
function invalidMetadata(error: { issues?: unknown }): Error | undefined {
  const [issue] = Array.isArray(error.issues) ? error.issues : [];
  if (issue === undefined) return undefined;
  const { path, message } = issue as { path: unknown[]; message: string };
  return new UnsafeAuthorizationError(`'${path.join(".")}' of its metadata: ${message}`);
}
