/** Hostile authorization servers, servers that name them, and programs of other users while a person logs in. */

import assert from "node:assert/strict";
import { openCallback } from "../../../../src/sources/upstream/login/callback.ts";
import { Login } from "../../../../src/sources/upstream/login/login.ts";
import {
  maxAnswerBytes,
  requireSafe,
} from "../../../../src/sources/upstream/login/authorization_server.ts";
import { loginsAt } from "../../../../src/sources/upstream/login/stored_login.ts";
import { UpstreamServer } from "../../../../src/sources/upstream/server.ts";
import {
  AuthServer,
  type AuthServerOptions,
  type SeenRequest,
} from "../../../sources/upstream/_auth_server.ts";
import { environment, logInAt, stateFolderOfTest } from "../../../sources/upstream/_login.ts";

const authorizationMetadata = "/.well-known/oauth-authorization-server";
const resourceMetadata = "/.well-known/oauth-protected-resource/mcp";

function redirect(location: string, status = 307): Response {
  return new Response(null, { status, headers: { location } });
}

/** Answers as `answer` does to requests for `path`. */
function at(path: string, answer: (own: string, seen: SeenRequest) => Response | undefined) {
  return (seen: SeenRequest, own: string) => {
    return seen.path.split("?")[0] === path ? answer(own, seen) : undefined;
  };
}

/** A server elsewhere that must not be asked for anything. */
function trap() {
  const seen: string[] = [];
  const where = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const server = Deno.serve(where, async (request) => {
    seen.push(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`);
    return new Response(null, { status: 404 });
  });
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    seen,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Logs in, which must fail for `reason`, and leaves no login. */
async function refused(options: AuthServerOptions, reason: RegExp): Promise<AuthServer> {
  using _state = stateFolderOfTest();
  const server = new AuthServer(options);
  await using _server = server;
  // Only what drips is waited for
  const timeoutMs = reason === tooLate ? 300 : undefined;
  await assert.rejects(logInAt(server, server.spec(), { timeoutMs }), reason);
  assert.deepEqual(await loginsAt("far"), []);
  return server;
}

const tooLate = /gave no answer within/;

const metadataOf = (changed: Record<string, unknown>) => ({ metadata: () => changed });

const refusals: readonly (readonly [what: string, options: AuthServerOptions, reason: RegExp])[] = [
  [
    "a redirect loop of the authorization server's metadata",
    { answerAs: at(authorizationMetadata, (own) => redirect(`${own}${authorizationMetadata}`)) },
    /has metadata/,
  ],
  [
    "a redirect loop of the resource's metadata",
    { answerMcp: at(resourceMetadata, (own) => redirect(`${own}${resourceMetadata}`)) },
    /has metadata/,
  ],
  [
    "metadata without end",
    { answerAs: at(authorizationMetadata, endless) },
    new RegExp(`more than ${maxAnswerBytes} bytes`),
  ],
  [
    "a resource's metadata without end",
    { answerMcp: at(resourceMetadata, endless) },
    new RegExp(`more than ${maxAnswerBytes} bytes`),
  ],
  ["an answer that drips", { answerAs: at(authorizationMetadata, dripping) }, tooLate],
  ["a token that drips", { answerAs: at("/token", dripping) }, tooLate],
  [
    "a page of login that is a script",
    metadataOf({ authorization_endpoint: "javascript:alert(document.domain)//" }),
    /gave an answer of no known form/,
  ],
  [
    "a page of login that is a file",
    metadataOf({ authorization_endpoint: "file:///etc/passwd" }),
    /'authorization_endpoint' is not safe: it begins with 'file:'/,
  ],
  [
    "a page of login that looks like another host's",
    metadataOf({ authorization_endpoint: "https://login.example@evil.example/" }),
    /'authorization_endpoint' is not safe: it has a user's name in it/,
  ],
  [
    "a token endpoint without TLS",
    metadataOf({ token_endpoint: "http://tokens.example/token" }),
    /'token_endpoint' is not safe: it does not begin with https:/,
  ],
  [
    "a registration endpoint without TLS",
    metadataOf({ registration_endpoint: "http://tokens.example/register" }),
    /'registration_endpoint' is not safe/,
  ],
  [
    "metadata of another issuer",
    metadataOf({ issuer: "https://honest.example" }),
    /names itself otherwise in its metadata/,
  ],
  [
    "an authorization server without PKCE",
    metadataOf({ code_challenge_methods_supported: undefined }),
    /does not support PKCE with S256/,
  ],
  [
    "an authorization server with plain PKCE only",
    metadataOf({ code_challenge_methods_supported: ["plain"] }),
    /does not support PKCE with S256/,
  ],
  [
    "a code that it does not take back",
    { answerAs: at("/token", () => Response.json({ error: "x\u001b[31m" }, { status: 400 })) },
    /refuses: an error of no known form$/,
  ],
  [
    "an answer that is not JSON, and repeats it",
    { answerAs: at("/token", (_, { body }) => new Response(body)) },
    /^Error: its authorization server gave an answer of no known form$/,
  ],
  [
    "a registration that says what to do instead",
    { answerAs: at("/register", () => new Response("call this number", { status: 400 })) },
    /^Error: its authorization server refuses to register climax: status 400$/,
  ],
  [
    "a token that is not for the bearer",
    { answerAs: at("/token", () => Response.json({ access_token: "abc", token_type: "DPoP" })) },
    /gave a token of another type than Bearer$/,
  ],
  [
    "a token that is no text of a header",
    {
      answerAs: at("/token", () => Response.json({ access_token: "a\r\nb", token_type: "Bearer" })),
    },
    /token/,
  ],
];

for (const [what, options, reason] of refusals) {
  Deno.test(`logIn() refuses ${what}`, async () => {
    await refused(options, reason);
  });
}

function endless(): Response {
  const piece = new Uint8Array(64 * 1024).fill(0x20);
  return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(piece) }));
}

/** A byte now and then, so that no single read takes long. */
function dripping(): Response {
  let timer: ReturnType<typeof setInterval>;
  return new Response(
    new ReadableStream({
      start(controller) {
        timer = setInterval(() => controller.enqueue(new Uint8Array([0x20])), 20);
      },
      cancel: () => clearInterval(timer),
    }),
  );
}

Deno.test("logIn() refuses metadata of another resource, whose token it would get", async () => {
  using _state = stateFolderOfTest();
  await using server: AuthServer = new AuthServer({
    answerMcp: at(resourceMetadata, () => {
      const resource = "https://bank.example/mcp";
      return Response.json({ resource, authorization_servers: [server.issuer] });
    }),
  });
  await assert.rejects(logInAt(server), /those of another resource/);
});

Deno.test("nothing is sent to another origin that the authorization server redirects to", async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    for (const path of [authorizationMetadata, "/register", "/token"]) {
      await using other = trap();
      const answerAs = at(path, () => redirect(`${other.origin}${path}`, status));
      await refused({ answerAs }, /./);
      assert.deepEqual(other.seen, [], `${status} ${path}`);
    }
  }
});

Deno.test("nothing is asked of another origin that the server redirects or points to", async () => {
  await using other = trap();
  const challenge = `Bearer resource_metadata="${other.origin}/metadata"`;
  const headers = { "www-authenticate": challenge };
  const answers: readonly AuthServerOptions[] = [
    { answerMcp: at("/mcp", () => new Response(null, { status: 401, headers })) },
    { answerMcp: at("/mcp", () => redirect(`${other.origin}/mcp`)) },
    { answerMcp: at(resourceMetadata, () => redirect(`${other.origin}/metadata`)) },
  ];
  for (const answer of answers) {
    using _state = stateFolderOfTest();
    await using server = new AuthServer(answer);
    await logInAt(server).catch(() => {});
    assert.deepEqual(other.seen, []);
  }
});

Deno.test("a token stays with its server when that redirects", async () => {
  await using other = trap();
  for (const status of [301, 302, 303, 307, 308]) {
    using _state = stateFolderOfTest();
    let isHostile = false;
    await using server = new AuthServer({
      answerMcp: at("/mcp", (_, { headers }) => {
        const redirects = isHostile && headers.has("authorization");
        return redirects ? redirect(`${other.origin}/mcp`, status) : undefined;
      }),
    });
    const spec = server.spec();
    await logInAt(server, spec);
    isHostile = true;
    const far = new UpstreamServer(spec, { environment, login: Login.of(spec, { environment }) });
    await assert.rejects(far.list());
    await far.close();
    assert.deepEqual(other.seen, [], String(status));
  }
});

Deno.test("a refresh token goes where the login was made, whatever the server says later", async () => {
  using _state = stateFolderOfTest();
  await using other = trap();
  let isHostile = false;
  await using server: AuthServer = new AuthServer({
    answerMcp: at(resourceMetadata, () => {
      const authorization_servers = [isHostile ? other.origin : server.issuer];
      return Response.json({ resource: server.url, authorization_servers });
    }),
    metadata: () => isHostile ? { token_endpoint: `${other.origin}/token` } : {},
  });
  const spec = server.spec();
  await logInAt(server, spec);
  isHostile = true;
  server.expireAccessTokens();
  const far = new UpstreamServer(spec, { environment, login: Login.of(spec, { environment }) });
  assert.equal((await far.list()).definitions.length, 3);
  await far.close();
  assert.equal(server.refreshes, 1);
  assert.deepEqual(other.seen, []);
});

Deno.test("the headers of the server's entry go to no authorization server", async () => {
  using _state = stateFolderOfTest();
  await using server = new AuthServer();
  const headers = { "X-Api-Key": "key-of-the-entry" };
  await logInAt(
    server,
    server.spec("far", { transport: { kind: "http", url: server.url, headers } }),
  );
  assert.equal(server.mcpRequests[0]!.headers.get("x-api-key"), "key-of-the-entry");
  const told = server.asRequests.filter(({ headers }) => headers.has("x-api-key"));
  assert.deepEqual(told, []);
});

Deno.test("mix-up: an answer of another issuer is not used, and its code is sent nowhere", async () => {
  const answers: readonly ((back: URL) => void)[] = [
    (back) => back.searchParams.set("iss", "https://honest.example"),
    (back) => back.searchParams.delete("iss"),
    (back) => back.searchParams.set("iss", `${back.searchParams.get("iss")}/`),
    (back) => back.searchParams.append("iss", "https://honest.example"),
    (back) => {
      back.searchParams.delete("code");
      back.searchParams.set("error", "access_denied");
      back.searchParams.set("iss", "https://honest.example");
    },
  ];
  for (const change of answers) {
    using _state = stateFolderOfTest();
    await using server = new AuthServer();
    const show = async (address: URL) => {
      const response = await fetch(address, { redirect: "manual" });
      const back = new URL(response.headers.get("location")!);
      change(back);
      await (await fetch(back)).body?.cancel();
    };
    await assert.rejects(
      logInAt(server, server.spec(), { show }),
      /^Error: the answer does not name its authorization server as its issuer/,
    );
    assert.deepEqual(server.asRequests.filter(({ path }) => path === "/token"), []);
  }
});

Deno.test("a server cannot choose another authorization server than the one of its entry", async () => {
  using _state = stateFolderOfTest();
  await using server = new AuthServer({ form: "preregistered" });
  const { auth } = server.spec();
  const spec = server.spec("far", { auth: { ...auth, issuer: "https://honest.example/" } });
  await assert.rejects(logInAt(server, spec), /its config names https:\/\/honest\.example\//);
  assert.deepEqual(server.asRequests.map(({ path }) => path), [authorizationMetadata]);
});

Deno.test("the port of a login takes one answer, with its state, and no other", async () => {
  await using callback = openCallback("the-state");
  const { redirectUrl } = callback;
  const get = async (path: string, init?: RequestInit) => {
    const response = await fetch(new URL(path, redirectUrl), init);
    await response.body?.cancel();
    return response.status;
  };
  assert.equal(new URL(redirectUrl).hostname, "127.0.0.1");
  assert.equal(await get("/"), 404);
  assert.equal(await get("/callback?code=c&state=the-state", { method: "POST" }), 404);
  assert.equal(await get("/callback?code=c"), 400);
  assert.equal(await get("/callback?code=c&state=other"), 400);
  assert.equal(await get("/callback?code=c&state=other&state=the-state"), 400);
  assert.equal(await get("/callback?code=c&code=d&state=the-state"), 400);
  assert.equal(await get("/callback?code=c&state=the-state"), 200);
  assert.equal(await get("/callback?code=d&state=the-state"), 410);
  assert.deepEqual(await callback.answer, { code: "c", iss: undefined });
});

Deno.test("the port of a login closes while a program of another user holds it open", async () => {
  const callback = openCallback("the-state");
  const port = Number(new URL(callback.redirectUrl).port);
  using held = await Deno.connect({ hostname: "127.0.0.1", port });
  await held.write(new TextEncoder().encode("GET /callback HTTP/1.1\r\nHost: "));
  await callback[Symbol.asyncDispose]();
  await assert.rejects(Deno.connect({ hostname: "127.0.0.1", port }));
});

Deno.test("requireSafe() lets no server lead a request into a private network", () => {
  const server = new URL("https://mcp.example/mcp");
  const unsafe = [
    ...["http://127.0.0.1:8080/", "https://127.0.0.1/", "https://localhost/", "https://[::1]/"],
    ...["https://169.254.169.254/latest", "https://10.0.0.1/", "https://192.168.1.1/"],
    ...["https://172.16.0.1/", "https://100.64.0.1/", "https://[fd00::1]/", "https://[fe80::1]/"],
    ...["https://[64:ff9b::10.0.0.1]/", "https://[::127.0.0.1]/", "https://[fec0::1]/"],
    ...["https://[2002:a00:1::]/", "https://198.18.0.1/", "https://255.255.255.255/"],
    ...["https://metadata.google.internal/", "https://router.local/", "https://intranet/"],
    ...["https://ip6-localhost/", "https://Router.LAN./", "https://[::]/"],
    ...["https://[::ffff:10.0.0.1]/", "https://0x7f.1/", "https://2130706433/", "https://0/"],
    ...[
      "https://localhost./",
      "https://a.localhost/",
      "http://auth.example/",
      "ftp://auth.example",
    ],
    ...["https://localhost../", "https://x.localdomain/", "https://db.svc/", "https://a.consul/"],
    ...["https://fritz.box/", "https://[2001:db8::1]/", "https://[2001::1]/", "https://192.0.2.1/"],
    ...["https://[2001:0:1::1]/", "https://198.51.100.7/", "https://203.0.113.9/"],
    ...["https://u@auth.example/", "javascript:alert(1)", "data:text/html,x", "not an address"],
  ];
  for (const address of unsafe) {
    assert.throws(() => requireSafe(address, "it", server), /is not safe/, address);
  }
  const safe = [
    ...["https://auth.example/", "https://172.32.0.1/", "https://8.8.8.8/", "https://198.20.0.1/"],
    ...["https://[2606:4700::1111]/", "https://local.example/", "https://internal.example.org/"],
    ...["https://[2001:4860::8888]/", "https://localdomain.example/", "https://192.0.3.1/"],
  ];
  for (const address of safe) {
    assert.equal(requireSafe(address, "it", server).href, address);
  }
  const own = new URL("http://127.0.0.1:1/mcp");
  assert.equal(requireSafe("http://127.0.0.1:2/", "it", own).port, "2");
  // A name that only a network of one's own has is not this machine
  for (const name of ["https://foo/mcp", "https://tools.home/mcp", "https://10.0.0.1/mcp"]) {
    const near = new URL(name);
    assert.equal(requireSafe("https://10.0.0.2/", "it", near).hostname, "10.0.0.2");
    for (const address of ["http://127.0.0.1:2/", "https://localhost/", "https://[::1]/"]) {
      assert.throws(
        () => requireSafe(address, "it", near),
        /is this machine, and the server is not/,
      );
    }
  }
});

Deno.test("a refusal at renewal shows nothing that the authorization server wrote", async () => {
  using _state = stateFolderOfTest();
  let isHostile = false;
  await using server = new AuthServer({
    answerAs: at("/token", (_, { body }) => {
      const answer = () => new Response(`you sent ${body}`, { status: 500 });
      return isHostile ? answer() : undefined;
    }),
  });
  const spec = server.spec();
  await logInAt(server, spec);
  const login = Login.of(spec, { environment })!;
  const token = (await login.token())!;
  isHostile = true;
  await assert.rejects(login.renew(token), (error: Error) => {
    assert.equal(server.hasToken(error.message), false, error.message);
    return /cannot be renewed at present: its authorization server has an error$/.test(
      error.message,
    );
  });
  isHostile = false;
  assert.notEqual(await login.renew(token), token);
});
