/** Tokens of an authorization server: a real one on a port of this machine, and forged ones. */

import assert from "node:assert/strict";
import {
  decodeJwt,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from "jose";
import { classicSurface } from "../../../src/server/surface.ts";
import { oauthAuthenticator } from "../../../src/server/http/oauth.ts";
import { sessionOf } from "../../_session.ts";
import { envelope, post, RawConnection, startHttp } from "./_server.ts";

const audience = "https://tools.example.org/mcp";
const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
const foreign = await generateKeyPair("RS256");

interface Issuer extends AsyncDisposable {
  readonly url: string;
}

/** Serves the issuer's metadata and keys; `change` makes them wrong. */
function startIssuer(change: (metadata: Record<string, unknown>) => void = () => {}): Issuer {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname, origin } = new URL(request.url);
    if (pathname === "/jwks") {
      return Response.json({ keys: [{ ...await exportJWK(publicKey), kid: "one", alg: "RS256" }] });
    }
    if (pathname !== "/.well-known/oauth-authorization-server") {
      return new Response("", { status: 404 });
    }
    const metadata = { issuer: origin, jwks_uri: `${origin}/jwks` };
    change(metadata);
    return Response.json(metadata);
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function sign(
  issuer: string,
  claims: JWTPayload = {},
  { key = privateKey, alg = "RS256", typ = "at+jwt" }: {
    readonly key?: CryptoKey | Uint8Array;
    readonly alg?: string;
    /** An empty one is not written. */
    readonly typ?: string;
  } = {},
): Promise<string> {
  const payload = { iss: issuer, aud: audience, sub: "ada", scope: "read write", ...claims };
  const token = new SignJWT(payload).setProtectedHeader({
    ...{ alg, kid: "one" },
    ...(typ === "" ? {} : { typ }),
  }).setIssuedAt();
  if (!("exp" in claims)) token.setExpirationTime("5m");
  return token.sign(key);
}

async function serve(issuer: string, { mayUse = true, untypedTokens = false } = {}) {
  const surface = classicSurface(await sessionOf({ tools: [] }));
  const seen: unknown[] = [];
  const authenticator = await oauthAuthenticator({
    ...{ issuer, audience, untypedTokens },
    scopes: ["read"],
  });
  const server = await startHttp(surface, {
    authenticator,
    surfaceFor: (client) => {
      seen.push(client);
      return mayUse ? surface : undefined;
    },
  });
  const list = async (token?: string) => {
    const headers: Record<string, string> = token === undefined
      ? {}
      : { authorization: `Bearer ${token}` };
    const response = await post(server.url, "tools/list", {}, headers);
    const body = await response.json();
    return { status: response.status, challenge: response.headers.get("www-authenticate"), body };
  };
  return { server, list, seen };
}

const metadataUrl = "https://tools.example.org/.well-known/oauth-protected-resource/mcp";

Deno.test("a token of the issuer accepts its subject", async () => {
  const longName = "r".repeat(255);
  await using issuer = startIssuer();
  const { server, list, seen } = await serve(issuer.url);
  await using _ = server;
  const token = await sign(issuer.url);
  assert.equal((await list(token)).status, 200);
  // With the tolerance of clocks
  const expiresAt = (decodeJwt(token).exp! + 30) * 1000;
  const key = JSON.stringify(["issuer", issuer.url, "ada"]);
  assert.deepEqual(seen[0], { name: "ada", key, scopes: ["read", "write"], expiresAt });
  assert.equal(
    (await list(
      await sign(
        issuer.url,
        {
          sub: undefined,
          client_id: longName,
          scope: undefined,
          scp: ["x"],
        } as unknown as JWTPayload,
      ),
    )).status,
    200,
  );
  const robot = seen.find((client) => (client as { name: string }).name === `client:${longName}`);
  assert.deepEqual((robot as { scopes: string[] }).scopes, ["x"]);
});

const past = () => Math.floor(Date.now() / 1000) - 3600;
const forged: readonly [
  what: string,
  make: (issuer: string) => Promise<string> | string,
  why: RegExp,
][] = [
  ["no token at all", () => "", /bearer token is required/],
  ["words", () => "let.me.in", /not one of the issuer's/],
  ["an expired token", (issuer) => sign(issuer, { exp: past() }), /expired/],
  [
    "one that never expires",
    (issuer) => sign(issuer, { exp: undefined } as unknown as JWTPayload),
    /'exp'/,
  ],
  [
    "one that is not valid yet",
    (issuer) => sign(issuer, { nbf: -past() + 2 * Math.floor(Date.now() / 1000) }),
    /'nbf'/,
  ],
  [
    "one for somebody else",
    (issuer) => sign(issuer, { aud: "https://other.example.org" }),
    /'aud'/,
  ],
  ["one of another issuer", () => sign("https://evil.example"), /'iss'/],
  ["one without a holder", (issuer) => sign(issuer, { sub: "" }), /has no subject/],
  [
    "one with an endless holder",
    (issuer) => sign(issuer, { sub: "a".repeat(256) }),
    /longer than 255 characters/,
  ],
  [
    "one signed with another key",
    (issuer) => sign(issuer, {}, { key: foreign.privateKey }),
    /not one of the issuer's/,
  ],
  [
    "one that is not signed",
    (issuer) =>
      new UnsecuredJWT({ iss: issuer, aud: audience, sub: "ada" }).setExpirationTime("5m").encode(),
    /not one of the issuer's/,
  ],
  ["one signed with the public key as a secret", async (issuer) => {
    const secret = new TextEncoder().encode(await exportSPKI(publicKey));
    return await sign(issuer, {}, { key: secret, alg: "HS256" });
  }, /not one of the issuer's/],
];

for (const [what, make, why] of forged) {
  Deno.test(`a token is refused, and where to get one is told: ${what}`, async () => {
    await using issuer = startIssuer();
    const { server, list, seen } = await serve(issuer.url);
    await using _ = server;
    const token = await make(issuer.url);
    const { status, challenge, body } = await list(token === "" ? undefined : token);
    assert.equal(status, 401);
    assert.match(body.error.message, why);
    const error = token === "" ? "" : `, error="invalid_token"`;
    assert.equal(challenge, `Bearer resource_metadata="${metadataUrl}", scope="read"${error}`);
    assert.deepEqual(seen, []);
  });
}

Deno.test("a token of a holder who may use nothing is answered with what is lacking", async () => {
  await using issuer = startIssuer();
  const { server, list } = await serve(issuer.url, { mayUse: false });
  await using _ = server;
  const { status, challenge } = await list(await sign(issuer.url));
  assert.equal(status, 403);
  assert.equal(
    challenge,
    `Bearer resource_metadata="${metadataUrl}", scope="read", error="insufficient_scope"`,
  );
});

Deno.test("anybody is told where tokens come from", async () => {
  await using issuer = startIssuer();
  const { server } = await serve(issuer.url);
  await using _ = server;
  for (
    const path of [
      "/.well-known/oauth-protected-resource",
      "/.well-known/oauth-protected-resource/mcp",
    ]
  ) {
    const response = await fetch(new URL(path, server.url));
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), {
      resource: audience,
      authorization_servers: [issuer.url],
      bearer_methods_supported: ["header"],
      scopes_supported: ["read"],
    });
  }
});

Deno.test("an issuer that is down after the start is no reason to let anybody in", async () => {
  const issuer = startIssuer();
  const { server, list } = await serve(issuer.url);
  await using _ = server;
  const token = await sign(issuer.url);
  await issuer[Symbol.asyncDispose]();
  assert.equal((await list(token)).status, 503);
});

const wrongIssuers: readonly [
  what: string,
  change: (metadata: Record<string, unknown>) => void,
  why: RegExp,
][] = [
  [
    "says it is another",
    (metadata) => void (metadata["issuer"] = "https://evil.example"),
    /names the issuer 'https:\/\/evil\.example'/,
  ],
  [
    "has its keys where anybody could change them",
    (metadata) => void (metadata["jwks_uri"] = "http://example.org/jwks"),
    /not an https URL/,
  ],
];

for (const [what, change, why] of wrongIssuers) {
  Deno.test(`no start with an issuer that ${what}`, async () => {
    await using issuer = startIssuer(change);
    await assert.rejects(
      oauthAuthenticator({ issuer: issuer.url, audience, scopes: [] }),
      ({ problems }: { problems: { message: string }[] }) =>
        problems.some(({ message }) => why.test(message)),
    );
  });
}

Deno.test("no start with an issuer whose address anybody could answer for", async () => {
  await assert.rejects(
    oauthAuthenticator({ issuer: "http://issuer.example", audience, scopes: [] }),
    { message: "Tokens of that issuer cannot be checked" },
  );
});

Deno.test("a token for the address of a profile is good there only, and that is where it leads to", async () => {
  await using issuer = startIssuer();
  const surface = classicSurface(await sessionOf({ tools: [] }));
  await using server = await startHttp(surface, {
    authenticator: await oauthAuthenticator({ issuer: issuer.url, audience, scopes: [] }),
    paths: { plain: true, profiles: true },
  });
  const statusOf = async (path: string, aud: string) => {
    const headers = { authorization: `Bearer ${await sign(issuer.url, { aud })}` };
    const response = await post(new URL(path, server.url).href, "tools/list", {}, headers);
    await response.body?.cancel();
    return response.status;
  };
  const shop = `${audience}/p/shop`;
  for (
    const [path, aud, expected] of [
      ["/mcp/p/shop", shop, 200],
      ["/mcp/p/shop", audience, 200],
      ["/mcp/p/bank", shop, 401],
      ["/mcp", shop, 401],
      ["/mcp", audience, 200],
    ] as const
  ) {
    assert.equal(await statusOf(path, aud), expected, `${path} with ${aud}`);
  }
  const refused = await post(new URL("/mcp/p/shop", server.url).href, "tools/list");
  await refused.body?.cancel();
  const [, where] = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate")!)!;
  assert.equal(where, `${metadataUrl}/p/shop`);
  const metadata = await fetch(new URL(new URL(where!).pathname, server.url));
  assert.equal((await metadata.json()).resource, shop);
});

const bearers: readonly (readonly [
  what: string,
  typ: string,
  claims: JWTPayload,
  status: number,
  /** With `--untyped-tokens`. */
  untyped: number,
])[] = [
  ["an access token", "at+jwt", {}, 200, 200],
  ["one with the whole media type", "application/at+JWT", {}, 200, 200],
  ["one without a type", "", {}, 401, 200],
  ["one of the type of every token", "JWT", {}, 401, 200],
  ["an ID token", "JWT", { nonce: "n", at_hash: "x" }, 401, 401],
  ["an ID token without a type", "", { nonce: "" }, 401, 401],
  ["a notice of a logout", "logout+jwt", { events: { x: {} } }, 401, 401],
  ["one that tells of a login", "at+jwt", { events: {} }, 401, 401],
  ["a proof of a key", "dpop+jwt", {}, 401, 401],
  ["one bound to a key", "at+jwt", { cnf: { jkt: "abc" } }, 401, 401],
  ["one bound to nothing", "at+jwt", { cnf: null }, 401, 401],
  ["an introspection", "token-introspection+jwt", {}, 401, 401],
  ["one with a name as programs have it", "at+jwt", { sub: "client:ada" }, 401, 401],
];

Deno.test("only access tokens are bearers; a type may be lacking where the operator says so", async () => {
  await using issuer = startIssuer();
  const [typed, untyped] = [
    await serve(issuer.url),
    await serve(issuer.url, { untypedTokens: true }),
  ];
  await using _ = typed.server;
  await using __ = untyped.server;
  for (const [what, typ, claims, status, either] of bearers) {
    const token = await sign(issuer.url, claims, { typ });
    assert.deepEqual(
      [(await typed.list(token)).status, (await untyped.list(token)).status],
      [status, either],
      what,
    );
  }
  const { body } = await typed.list(await sign(issuer.url, {}, { typ: "JWT" }));
  assert.match(body.error.message, /its type \('typ'\) is jwt, expected at\+jwt.*--untyped-tokens/);
});

Deno.test("a program has no name that a person has", async () => {
  await using issuer = startIssuer();
  const { server, list, seen } = await serve(issuer.url);
  await using _ = server;
  const nobody = { sub: undefined } as unknown as JWTPayload;
  for (const claims of [{ client_id: "ada" }, { azp: "ada" }, { client_id: "", azp: "ada" }]) {
    await list(await sign(issuer.url, { ...nobody, ...claims }));
  }
  await list(await sign(issuer.url, { client_id: "app" }));
  const names = seen.map((client) => (client as { name: string }).name);
  assert.deepEqual(names, ["client:ada", "client:ada", "client:ada", "ada"]);
});

Deno.test("a request with two Authorization headers is refused, whichever is good", async () => {
  await using issuer = startIssuer();
  const { server } = await serve(issuer.url);
  await using _ = server;
  const good = `Bearer ${await sign(issuer.url)}`;
  for (
    const [values, status] of [
      [[good, "Bearer wrong"], 400],
      [["Bearer wrong", good], 400],
      [[good, good], 400],
      [[good], 200],
    ] as const
  ) {
    using connection = await RawConnection.open(server.port);
    const body = JSON.stringify({
      ...{ jsonrpc: "2.0", id: 1, method: "tools/list" },
      params: { _meta: envelope },
    });
    const heads = [
      "POST /mcp HTTP/1.1",
      `host: 127.0.0.1:${server.port}`,
      "content-type: application/json",
      "accept: application/json, text/event-stream",
      "mcp-protocol-version: 2026-07-28",
      "mcp-method: tools/list",
      `content-length: ${body.length}`,
      ...values.map((value, at) => `${at === 0 ? "Authorization" : "authorization"}: ${value}`),
    ];
    connection.write(`${heads.join("\r\n")}\r\n\r\n${body}`);
    await connection.received(new RegExp(`^HTTP/1\\.1 ${status} `));
  }
});
