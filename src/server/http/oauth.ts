/**
 * Access tokens of an OAuth 2.1 authorization server: this server is a resource server, as MCP
 * 2026-07-28 has it. It tells where tokens come from (RFC 9728) and checks those that it is given
 * (RFC 9068) against the keys of the issuer; it issues none.
 */

import { createRemoteJWKSet, errors, jwtVerify, type JWTVerifyGetKey } from "jose";
import type { IncomingMessage } from "node:http";
import { ClimaxError, ExitCode, messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import { isLoopback } from "../../process/address.ts";
import { errorReply, type HttpReply, jsonReply } from "./answer.ts";
import {
  type Authenticator,
  bearerToken,
  type HttpClientIdentity,
  type Refused,
} from "./client.ts";

/** Whose tokens are taken. */
export interface OauthOptions {
  /** The issuer's identifier, a URL; exactly what its tokens have as `iss`. */
  readonly issuer: string;
  /** What the tokens have to be made out to; where it is a URL, that of this server. */
  readonly audience: string;
  /** Scopes that mean something here, for clients that ask. */
  readonly scopes: readonly string[];
}

/** Signatures that nobody but the issuer can make. */
const algorithms = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

/** Seconds that clocks may differ. */
const clockTolerance = 30;

/** Milliseconds that the issuer has to answer. */
const issuerMs = 10_000;

/** RFC 9728, section 3. */
const metadataPath = "/.well-known/oauth-protected-resource";

/** Lets in whoever has a token of the issuer. @throws {ClimaxError} when the issuer cannot be asked */
export async function oauthAuthenticator(options: OauthOptions): Promise<Authenticator> {
  const { issuer, audience, scopes } = options;
  const keys = createRemoteJWKSet(await keysUrlOf(issuer), { timeoutDuration: issuerMs });

  function resourceOf(req: IncomingMessage): string {
    if (/^https?:\/\//.test(audience)) return audience;
    const scheme = "encrypted" in req.socket ? "https" : "http";
    return `${scheme}://${req.headers.host}/mcp`;
  }

  function challenge(req: IncomingMessage, error?: string): Record<string, string> {
    const { origin, pathname } = new URL(resourceOf(req));
    const parameters = [
      `resource_metadata="${origin}${metadataPath}${pathname === "/" ? "" : pathname}"`,
      ...(scopes.length === 0 ? [] : [`scope="${scopes.join(" ")}"`]),
      ...(error === undefined ? [] : [`error="${error}"`]),
    ];
    return { "www-authenticate": `Bearer ${parameters.join(", ")}` };
  }

  return {
    async authenticate(req) {
      const token = bearerToken(req);
      if (token === undefined) {
        return { reply: errorReply(401, "A bearer token is required", challenge(req)) };
      }
      const client = await clientOf(token, { keys, issuer, audience });
      if (!("wrong" in client)) return client;
      if (client.wrong === undefined) return unreachable;
      return { reply: errorReply(401, client.wrong, challenge(req, "invalid_token")) };
    },
    challenge: (req) => challenge(req, "insufficient_scope"),
    metadata(path, req): HttpReply | undefined {
      if (path !== metadataPath && !path.startsWith(`${metadataPath}/`)) return undefined;
      return jsonReply(200, {
        resource: resourceOf(req),
        authorization_servers: [issuer],
        bearer_methods_supported: ["header"],
        ...(scopes.length === 0 ? {} : { scopes_supported: scopes }),
      });
    },
  };
}

const unreachable: Refused = {
  reply: errorReply(503, "The issuer's keys cannot be read", { "retry-after": "5" }),
};

interface Check extends Pick<OauthOptions, "issuer" | "audience"> {
  readonly keys: JWTVerifyGetKey;
}

/** Who a token was made out to, or what is wrong with it; nothing is wrong if nobody can tell. */
async function clientOf(
  token: string,
  { keys, ...expected }: Check,
): Promise<HttpClientIdentity | { readonly wrong: string | undefined }> {
  try {
    const requiredClaims = ["exp"];
    const checks = { ...expected, algorithms, clockTolerance, requiredClaims };
    const { payload } = await jwtVerify(token, keys, checks);
    const name = [payload.sub, payload["client_id"], payload["azp"]]
      .find((claim) => typeof claim === "string" && claim !== "") as string | undefined;
    if (name === undefined) return { wrong: "The token has no subject" };
    return { name, scopes: scopesOf(payload["scope"] ?? payload["scp"]) };
  } catch (error) {
    if (error instanceof errors.JWTExpired) return { wrong: "The token has expired" };
    if (error instanceof errors.JWTClaimValidationFailed) {
      return {
        wrong:
          `The token is not for this server: its '${error.claim}' does not have the expected value`,
      };
    }
    if (isAboutToken(error)) return { wrong: "The token is not one of the issuer's" };
    log("warning", `The keys of ${expected.issuer} cannot be read: ${messageOf(error)}`);
    return { wrong: undefined };
  }
}

/** Returns whether the fault lies with the token, rather than with the issuer or the way to it. */
function isAboutToken(error: unknown): boolean {
  return [
    errors.JWSInvalid,
    errors.JWTInvalid,
    errors.JWSSignatureVerificationFailed,
    errors.JOSEAlgNotAllowed,
    errors.JOSENotSupported,
    errors.JWKSNoMatchingKey,
    errors.JWKSMultipleMatchingKeys,
  ].some((kind) => error instanceof kind);
}

function scopesOf(claim: unknown): readonly string[] {
  if (typeof claim === "string") return claim.split(" ").filter((scope) => scope !== "");
  return Array.isArray(claim) ? claim.filter((scope) => typeof scope === "string") : [];
}

/** Where the issuer's keys are: RFC 8414, or else OpenID Connect Discovery. */
async function keysUrlOf(issuer: string): Promise<URL> {
  const url = safeUrl(issuer, "The issuer");
  const path = url.pathname.replace(/\/$/, "");
  const places = [
    `${url.origin}/.well-known/oauth-authorization-server${path}`,
    `${url.origin}${path}/.well-known/openid-configuration`,
  ];
  const failures: string[] = [];
  for (const place of places) {
    try {
      const signal = AbortSignal.timeout(issuerMs);
      const response = await fetch(place, { signal, redirect: "error" });
      if (!response.ok) throw new Error(`status ${response.status}`);
      const metadata = await response.json();
      if (metadata.issuer !== issuer) throw new Error(`it names the issuer '${metadata.issuer}'`);
      return safeUrl(String(metadata.jwks_uri), "The address of the issuer's keys");
    } catch (error) {
      if (error instanceof ClimaxError) throw error;
      failures.push(`${place}: ${messageOf(error)}`);
    }
  }
  const problems = failures.map((message) => ({ message }));
  throw new ClimaxError(`The issuer '${issuer}' was not found`, ExitCode.file, problems);
}

/** A URL that nobody on the way can answer for. */
function safeUrl(text: string, what: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === "https:" || url?.protocol === "http:" && isLoopback(url.hostname)) {
    return url;
  }
  const message = `${what} is not an https URL: '${text}'`;
  throw new ClimaxError("Tokens of that issuer cannot be checked", ExitCode.file, [{ message }]);
}
