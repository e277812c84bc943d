/** Chooses the OAuth client that climax is at an authorization server: one of the config, or one that is registered. */

import { type FetchLike, registerClient } from "@modelcontextprotocol/client";
import { type Environment, expand } from "../../../files/expand.ts";
import type { ServerSpec } from "../spec.ts";
import type { AuthorizationServer } from "./discovery.ts";

export interface LoginClient {
  readonly information: {
    readonly client_id: string;
    readonly client_secret?: string;
    readonly token_endpoint_auth_method?: string;
  };
  /** It is that of the server's entry. */
  readonly isPreregistered: boolean;
}

export interface ClientChoiceOptions {
  readonly found: AuthorizationServer;
  readonly environment: Environment;
  readonly redirectUrl: string;
  /** The scopes of the request, separated by spaces. */
  readonly wanted: string;
  readonly fetchFn: FetchLike;
}

/** @throws {Error} if there is no client, with what to do */
export async function chooseClient(
  { auth = {} }: ServerSpec,
  { found: { issuer, metadata }, environment, redirectUrl, wanted, fetchFn }: ClientChoiceOptions,
): Promise<LoginClient> {
  const { clientId, clientSecret, clientMetadataUrl } = auth;
  if (clientId !== undefined) {
    const client_id = expanded(clientId, environment);
    const secret = clientSecret === undefined
      ? {}
      : { client_secret: expanded(clientSecret, environment) };
    return { information: { client_id, ...secret }, isPreregistered: true };
  }
  if (clientMetadataUrl !== undefined && metadata.client_id_metadata_document_supported === true) {
    return { information: { client_id: clientMetadataUrl }, isPreregistered: false };
  }
  if (metadata.registration_endpoint === undefined) {
    throw new Error(
      "its authorization server registers no client by itself: register one there with the " +
        `redirect address http://127.0.0.1/callback, and name it in the server's entry: ` +
        `"auth": { "clientId": "…" }`,
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
    ...(wanted === "" ? {} : { scope: wanted }),
    fetchFn,
  });
  const { client_id, client_secret, token_endpoint_auth_method: method } = registered;
  return {
    information: {
      client_id,
      ...(client_secret === undefined ? {} : { client_secret }),
      ...(method === undefined ? {} : { token_endpoint_auth_method: method }),
    },
    isPreregistered: false,
  };
}

function expanded(text: string, environment: Environment): string {
  const { text: value, unset: [variable] } = expand(text, (name) => environment(name) || undefined);
  if (variable !== undefined) throw new Error(`it needs a variable that is not set: $${variable}`);
  return value;
}
