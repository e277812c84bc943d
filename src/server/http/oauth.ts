/** Checks access tokens as a resource server of MCP 2026-07-28 (RFC 9728, RFC 9068). It issues no tokens. */

import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTPayload,
  jwtVerify,
  type JWTVerifyGetKey,
} from "jose";
import type { IncomingMessage } from "node:http";
import { ClimaxError, FileError, messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import { isReadableOnTheWay, sendOnce } from "../../net/send_once.ts";
import { identityKey } from "../../process/identity.ts";
import { errorReply, type HttpReply, jsonReply } from "./answer.ts";
import {
  type Authenticator,
  bearerToken,
  type HttpClientIdentity,
  type Refused,
} from "./client.ts";
import { mcpPath, pathOf } from "./route.ts";

interface OauthOptions {
  /** The URL of the issuer, equal to the `iss` of its tokens. */
  readonly issuer: string;
  /** The audience that tokens must have; if it is a URL, the URL of this server. */
  readonly audience: string;
  readonly scopes: readonly string[];
  /** True to accept tokens of the type `JWT` or of none, for issuers that write no type. @default false */
  readonly untypedTokens?: boolean;
}

/** Only asymmetric algorithms are accepted: with a shared secret, this server could sign tokens too. */
const algorithms = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

/** Clocks may differ by this many seconds. */
const clockTolerance = 30;

/** A subject has at most this many characters (OpenID Connect Core 1.0, section 2). */
const maxSubjectLength = 255;

const issuerMs = 10_000;

/** The path of protected resource metadata (RFC 9728, section 3). */
const metadataPath = "/.well-known/oauth-protected-resource";

const ofProfile = /\/p\/[a-z0-9-]+$/;

/** @throws {ClimaxError} if the keys of the issuer cannot be found */
export async function oauthAuthenticator(options: OauthOptions): Promise<Authenticator> {
  const { issuer, audience, scopes, untypedTokens = false } = options;
  const keys = createRemoteJWKSet(await keysUrlOf(issuer), {
    timeoutDuration: issuerMs,
    [customFetch]: sendOnce,
  });

  function resourceOf(req: IncomingMessage): string {
    const [own = ""] = ofProfile.exec(pathOf(req)) ?? [];
    if (/^https?:\/\//.test(audience)) {
      return audience.endsWith(mcpPath) ? audience + own : audience;
    }
    const scheme = "encrypted" in req.socket ? "https" : "http";
    return `${scheme}://${req.headers.host}${mcpPath}${own}`;
  }

  /** A token for a profile is valid in that profile, a token for the server everywhere. */
  function audiencesOf(req: IncomingMessage): string[] {
    return audience.endsWith(mcpPath) ? [audience, resourceOf(req)] : [audience];
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
      const audience = audiencesOf(req);
      const client = await clientOf(token, { keys, issuer, untypedTokens, audience });
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

/** Returns the client or why the token is refused; `wrong: undefined` if the issuer's keys cannot be read. */
async function clientOf(
  token: string,
  { keys, untypedTokens, ...expected }: {
    readonly keys: JWTVerifyGetKey;
    readonly issuer: string;
    readonly audience: string[];
    readonly untypedTokens: boolean;
  },
): Promise<HttpClientIdentity | { readonly wrong: string | undefined }> {
  try {
    const requiredClaims = ["exp"];
    const checks = { ...expected, algorithms, clockTolerance, requiredClaims };
    const { payload, protectedHeader } = await jwtVerify(token, keys, checks);
    const wrong = notForBearers(payload, protectedHeader.typ, untypedTokens);
    if (wrong !== undefined) return { wrong };
    const { sub, client_id, azp } = payload;
    const isText = (claim: unknown): claim is string => typeof claim === "string" && claim !== "";
    const subject = [sub, client_id, azp].find(isText);
    if (subject === undefined) return { wrong: "The token has no subject" };
    const name = subject === sub ? subject : `${ofProgram}${subject}`;
    if (sub?.startsWith(ofProgram)) {
      return { wrong: `The token's subject begins with '${ofProgram}', as names of programs do` };
    }
    if (subject.length > maxSubjectLength) {
      return { wrong: `The token's subject is longer than ${maxSubjectLength} characters` };
    }
    const expiresAt = (payload.exp! + clockTolerance) * 1000;
    const key = identityKey({ name, by: "issuer", authority: expected.issuer });
    return { name, key, scopes: scopesOf(payload["scope"] ?? payload["scp"]), expiresAt };
  } catch (error) {
    if (error instanceof errors.JWTExpired) return { wrong: "The token has expired" };
    if (error instanceof errors.JWTClaimValidationFailed) {
      return {
        wrong:
          `The token is not for this server: its '${error.claim}' does not have the expected value`,
      };
    }
    if (error instanceof errors.JOSEError && ofToken.test(error.code)) {
      return { wrong: "The token is not one of the issuer's" };
    }
    log("warning", `The keys of ${expected.issuer} cannot be read: ${messageOf(error)}`);
    return { wrong: undefined };
  }
}

/** Begins the name of a client whose token has no subject, so that no program can have the name of a person. */
const ofProgram = "client:";

/** Checks what a valid signature does not say: that the token is an access token for a bearer (RFC 9068, section 4). */
function notForBearers(
  payload: JWTPayload,
  type: string | undefined,
  untypedTokens: boolean,
): string | undefined {
  const kind = type?.toLowerCase().replace(/^application\//, "") ?? "missing";
  if (kind !== "at+jwt" && !(untypedTokens && ["jwt", "missing"].includes(kind))) {
    const hint = kind === "jwt" || kind === "missing"
      ? ": an operator whose issuer writes no type uses --untyped-tokens"
      : "";
    return `The token is no access token: its type ('typ') is ${kind}, expected at+jwt${hint}`;
  }
  // A token with `cnf` needs a proof of a key, `nonce` is for logins, `events` for notices: none of them is for a bearer
  const claim = ["cnf", "nonce", "events"].find((each) => payload[each] !== undefined);
  return claim && `The token is not for a bearer: it has '${claim}'`;
}

/** Matches the codes of errors for which the token is at fault, and not the issuer or the network. */
const ofToken = /^ERR_(?:JWS_|JWT_|JOSE_ALG_|JOSE_NOT_|JWKS_NO_|JWKS_MULTIPLE_)/;

function scopesOf(claim: unknown): readonly string[] {
  if (typeof claim === "string") return claim.split(" ").filter((scope) => scope !== "");
  return Array.isArray(claim) ? claim.filter((scope) => typeof scope === "string") : [];
}

/** Finds the URL of the issuer's keys in its metadata, by RFC 8414 or else by OpenID Connect Discovery. */
async function keysUrlOf(issuer: string): Promise<URL> {
  const url = safeUrl(issuer, "The issuer");
  const path = url.pathname.replace(/\/$/, "");
  const urls = [
    `${url.origin}/.well-known/oauth-authorization-server${path}`,
    `${url.origin}${path}/.well-known/openid-configuration`,
  ];
  const failures: string[] = [];
  for (const url of urls) {
    try {
      const response = await sendOnce(url, { signal: AbortSignal.timeout(issuerMs) });
      if (!response.ok) throw new Error(`status ${response.status}`);
      const metadata = await response.json();
      if (metadata.issuer !== issuer) throw new Error(`it names the issuer '${metadata.issuer}'`);
      return safeUrl(String(metadata.jwks_uri), "The address of the issuer's keys");
    } catch (error) {
      if (error instanceof ClimaxError) throw error;
      failures.push(`${url}: ${messageOf(error)}`);
    }
  }
  const problems = failures.map((message) => ({ message }));
  throw new FileError(`The issuer '${issuer}' was not found`, ...problems);
}

/** Refuses URLs whose answers could be changed on the way: those without https, except on this machine. */
function safeUrl(text: string, what: string): URL {
  const url = URL.parse(text);
  const isSafe = url?.protocol === "https:" ||
    url?.protocol === "http:" && !isReadableOnTheWay(url);
  if (isSafe) return url;
  const message = `${what} is not an https URL: '${text}'`;
  throw new FileError("Tokens of that issuer cannot be checked", { message });
}
