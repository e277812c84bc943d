/**
 * An MCP server with three tools that wants a login, and its authorization server, each at an origin of its own. Both
 * check what they are sent as strictly as the specifications allow, and record it.
 */

import type { ServerSpec } from "../../../src/sources/upstream/spec.ts";
import { deadlineMs } from "../../_wait.ts";

/** How clients become known to the authorization server, and what they get. */
export type AuthForm = "registration" | "metadata document" | "preregistered" | "no refresh token";

export const authForms: readonly AuthForm[] = [
  ...["registration", "metadata document", "preregistered", "no refresh token"] as const,
];

/** What a server was sent. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

export interface AuthServerOptions {
  /** @default registration */
  readonly form?: AuthForm;
  /** Scopes that calls of the tool `write` need. */
  readonly writeScope?: string;
  /** Tokens come without the scope that was asked for, which they have then (RFC 6749, section 5.1). */
  readonly omitsScope?: boolean;
  /** Answers in place of the authorization server; nothing: it answers itself. */
  readonly answerAs?: (
    request: SeenRequest,
    own: string,
  ) => Promise<Response> | Response | undefined;
  /** Answers in place of the MCP server. */
  readonly answerMcp?: (
    request: SeenRequest,
    own: string,
  ) => Promise<Response> | Response | undefined;
  /** Keys of the authorization server's metadata that are other ones. */
  readonly metadata?: (own: string) => Record<string, unknown>;
  /** Seconds that access tokens last. @default 3600 */
  readonly expiresIn?: number;
}

interface Client {
  readonly redirectUris: readonly string[];
  readonly secret?: string | undefined;
}

interface Grant {
  readonly subject: string;
  readonly scope: string;
  readonly client: string;
  isRevoked: boolean;
}

interface AccessToken {
  readonly grant: Grant;
  isExpired: boolean;
}

/** The client-ID metadata document that docs/servers.md shows, as if it lay at its address. */
const document: { readonly client_id: string; readonly redirect_uris: readonly string[] } = JSON
  .parse(/```json\n(\{ "client_id"[^]*?)```/.exec(await readDocs())![1]!);

async function readDocs(): Promise<string> {
  return await Deno.readTextFile(new URL("../../../docs/servers.md", import.meta.url));
}

export const preregistered = { id: "climax-by-hand", secret: "hand-written-secret" } as const;

export class AuthServer implements AsyncDisposable {
  readonly asRequests: SeenRequest[] = [];
  readonly mcpRequests: SeenRequest[] = [];
  /** Refresh tokens that were taken. */
  refreshes = 0;
  registrations = 0;
  revocations = 0;
  readonly #options: AuthServerOptions;
  readonly #form: AuthForm;
  readonly #clients = new Map<string, Client>();
  readonly #codes = new Map<string, { grant: Grant; challenge: string; redirectUri: string }>();
  readonly #access = new Map<string, AccessToken>();
  readonly #refresh = new Map<string, Grant>();
  readonly #as: Deno.HttpServer<Deno.NetAddr>;
  readonly #mcp: Deno.HttpServer<Deno.NetAddr>;

  constructor(options: AuthServerOptions = {}) {
    this.#options = options;
    this.#form = options.form ?? "registration";
    const where = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
    this.#as = Deno.serve(where, async (request) => {
      const seen = await seenOf(request);
      this.asRequests.push(seen);
      return await options.answerAs?.(seen, this.issuer) ?? this.#answerAs(seen);
    });
    this.#mcp = Deno.serve(where, async (request) => {
      const seen = await seenOf(request);
      this.mcpRequests.push(seen);
      return await options.answerMcp?.(seen, this.origin) ?? this.#answerMcp(seen);
    });
    this.#clients.set(document.client_id, { redirectUris: document.redirect_uris });
    this.#clients.set(preregistered.id, {
      redirectUris: ["http://127.0.0.1/callback"],
      secret: preregistered.secret,
    });
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#as.addr.port}`;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#mcp.addr.port}`;
  }

  get url(): string {
    return `${this.origin}/mcp`;
  }

  /** The server as a config names it. */
  spec(name = "far", rest: Partial<ServerSpec> = {}): ServerSpec {
    const auth = this.#form === "preregistered"
      ? { clientId: preregistered.id, clientSecret: "$CLIENT_SECRET" }
      : this.#form === "metadata document"
      ? { clientId: document.client_id }
      : undefined;
    return {
      name,
      file: "tamamo-x.config.json",
      timeoutMs: deadlineMs(),
      transport: { kind: "http", url: this.url, headers: {} },
      ...(auth === undefined ? {} : { auth }),
      ...rest,
    };
  }

  /** What a browser does whose user agrees: it follows the address, and the redirect to this machine. */
  async agree(address: string | URL, subject = "somebody"): Promise<Response> {
    const url = new URL(address);
    url.searchParams.set("subject", subject);
    const response = await fetch(url, { redirect: "manual" });
    await response.body?.cancel();
    const location = response.headers.get("location");
    if (location === null) throw new Error(`no redirect: status ${response.status}`);
    return await fetch(location);
  }

  /** Makes the access tokens of all people expire. */
  expireAccessTokens(): void {
    for (const token of this.#access.values()) token.isExpired = true;
  }

  revokeAll(): void {
    for (const { grant } of this.#access.values()) grant.isRevoked = true;
  }

  /** Who agreed to the token of a request. */
  subjectOf({ headers }: SeenRequest): string | undefined {
    const token = headers.get("authorization")?.replace(/^Bearer /, "") ?? "";
    return this.#access.get(token)?.grant.subject;
  }

  /** True if `text` has a token that was ever given out. */
  hasToken(text: string): boolean {
    return [...this.#access.keys(), ...this.#refresh.keys()].some((token) => text.includes(token));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#as.shutdown(), this.#mcp.shutdown()]);
  }

  #answerAs(seen: SeenRequest): Promise<Response> | Response {
    const url = new URL(seen.path, this.issuer);
    switch (url.pathname) {
      case "/.well-known/oauth-authorization-server":
        return Response.json(this.#metadata());
      case "/register":
        return this.#register(JSON.parse(seen.body));
      case "/authorize":
        return this.#authorize(url.searchParams);
      case "/token":
        return this.#token(new URLSearchParams(seen.body), seen.headers);
      case "/revoke": {
        this.revocations++;
        const token = new URLSearchParams(seen.body).get("token") ?? "";
        const grant = this.#refresh.get(token) ?? this.#access.get(token)?.grant;
        if (grant !== undefined) grant.isRevoked = true;
        return new Response(null, { status: 200 });
      }
    }
    return new Response("Not found", { status: 404 });
  }

  #metadata(): Record<string, unknown> {
    const own = this.issuer;
    return {
      issuer: own,
      authorization_endpoint: `${own}/authorize`,
      token_endpoint: `${own}/token`,
      revocation_endpoint: `${own}/revoke`,
      ...(this.#form === "registration" || this.#form === "no refresh token"
        ? { registration_endpoint: `${own}/register` }
        : {}),
      ...(this.#form === "metadata document"
        ? { client_id_metadata_document_supported: true }
        : {}),
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
      authorization_response_iss_parameter_supported: true,
      ...this.#options.metadata?.(own),
    };
  }

  #register(asked: { redirect_uris: string[] }): Response {
    this.registrations++;
    const client_id = crypto.randomUUID();
    this.#clients.set(client_id, { redirectUris: asked.redirect_uris });
    return Response.json({ ...asked, client_id }, { status: 201 });
  }

  #authorize(asked: URLSearchParams): Response {
    const client = this.#clients.get(asked.get("client_id") ?? "");
    const redirectUri = asked.get("redirect_uri") ?? "";
    const isKnown = client?.redirectUris.some((uri) => {
      // RFC 8252, section 7.3: any port of the loopback interface
      return uri === redirectUri ||
        uri === redirectUri.replace(/^(http:\/\/127\.0\.0\.1):\d+/, "$1");
    });
    if (client === undefined || isKnown !== true) {
      return new Response("unknown client or redirect", { status: 400 });
    }
    const isWell = asked.get("response_type") === "code" &&
      asked.get("code_challenge_method") === "S256" && asked.get("resource") === this.url;
    if (!isWell) return new Response("no PKCE, or no resource", { status: 400 });
    const code = `code_${crypto.randomUUID()}`;
    const grant: Grant = {
      subject: asked.get("subject") ?? "somebody",
      scope: asked.get("scope") ?? "",
      client: asked.get("client_id")!,
      isRevoked: false,
    };
    this.#codes.set(code, { grant, challenge: asked.get("code_challenge")!, redirectUri });
    const back = new URL(redirectUri);
    const state = asked.get("state") ?? "";
    for (const [key, value] of Object.entries({ code, state, iss: this.issuer })) {
      back.searchParams.set(key, value);
    }
    return new Response(null, { status: 302, headers: { location: back.href } });
  }

  async #token(asked: URLSearchParams, headers: Headers): Promise<Response> {
    const [id, secret] = credentialsOf(asked, headers);
    const client = this.#clients.get(id);
    if (client === undefined || client.secret !== secret) return oauthError("invalid_client", 401);
    if (asked.get("resource") !== this.url) return oauthError("invalid_target");
    if (asked.get("grant_type") === "refresh_token") {
      const token = asked.get("refresh_token") ?? "";
      const grant = this.#refresh.get(token);
      if (grant === undefined || grant.isRevoked || grant.client !== id) {
        return oauthError("invalid_grant");
      }
      this.refreshes++;
      // Refresh tokens are good once, as OAuth 2.1 wants it for public clients
      this.#refresh.delete(token);
      return this.#tokensFor(grant);
    }
    const code = this.#codes.get(asked.get("code") ?? "");
    this.#codes.delete(asked.get("code") ?? "");
    const challenge = await challengeOf(asked.get("code_verifier") ?? "");
    const isWell = code !== undefined && code.grant.client === id &&
      code.challenge === challenge && code.redirectUri === asked.get("redirect_uri");
    return isWell ? this.#tokensFor(code.grant) : oauthError("invalid_grant");
  }

  #tokensFor(grant: Grant): Response {
    const access_token = `access_${crypto.randomUUID()}`;
    const refresh_token = `refresh_${crypto.randomUUID()}`;
    this.#access.set(access_token, { grant, isExpired: false });
    const isRenewed = this.#form !== "no refresh token";
    if (isRenewed) this.#refresh.set(refresh_token, grant);
    return Response.json({
      access_token,
      token_type: "Bearer",
      expires_in: this.#options.expiresIn ?? 3600,
      ...(grant.scope === "" || this.#options.omitsScope ? {} : { scope: grant.scope }),
      ...(isRenewed ? { refresh_token } : {}),
    });
  }

  #answerMcp(seen: SeenRequest): Response {
    const metadataUrl = `${this.origin}/.well-known/oauth-protected-resource/mcp`;
    if (seen.path === "/.well-known/oauth-protected-resource/mcp") {
      return Response.json({ resource: this.url, authorization_servers: [this.issuer] });
    }
    if (seen.path !== "/mcp") return new Response("Not found", { status: 404 });
    const [, token = ""] = /^Bearer (.*)$/.exec(seen.headers.get("authorization") ?? "") ?? [];
    const access = this.#access.get(token);
    if (access === undefined || access.isExpired || access.grant.isRevoked) {
      const challenge = `Bearer resource_metadata="${metadataUrl}"`;
      return new Response(null, { status: 401, headers: { "www-authenticate": challenge } });
    }
    if (seen.method !== "POST") return new Response(null, { status: 405 });
    const message = JSON.parse(seen.body);
    const { writeScope } = this.#options;
    const wantsScope = message.params?.name === "write" && writeScope !== undefined &&
      !access.grant.scope.split(" ").includes(writeScope);
    if (wantsScope) {
      const challenge = `Bearer error="insufficient_scope", scope="${writeScope}"`;
      return new Response(null, { status: 403, headers: { "www-authenticate": challenge } });
    }
    return answerRpc(message, access.grant.subject, [token, ...this.#access.keys()]);
  }
}

/** The tool `leak` tells all tokens wherever it can. */
function toolsFor(token: string): object[] {
  const properties = { [token]: { type: "string" }, caller: { type: "string" } };
  return ["whoami", "write", "leak"].map((name) => {
    const description = name === "leak" ? `Tells your token, ${token}` : name;
    return { name, description, inputSchema: { type: "object", properties } };
  });
}

function answerRpc(
  { id, method, params }: { id?: unknown; method: string; params?: { name?: string } },
  subject: string,
  tokens: readonly string[],
): Response {
  const [token = ""] = tokens;
  const keys = Object.fromEntries(tokens.map((each) => [each, { said: each }]));
  const leaked = params?.name === "leak" ? { structuredContent: keys, _meta: keys } : {};
  if (id === undefined) return new Response(null, { status: 202 });
  const text = params?.name === "leak" ? `your token is ${token}` : subject;
  const results: Record<string, unknown> = {
    initialize: {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {}, prompts: {}, resources: { subscribe: true } },
      serverInfo: { name: "far", version: "1" },
    },
    "prompts/list": { prompts: [{ name: "whoami" }] },
    "prompts/get": { messages: [{ role: "user", content: { type: "text", text } }] },
    "resources/list": { resources: [{ uri: "note://whoami", name: "whoami" }] },
    "resources/templates/list": { resourceTemplates: [] },
    "resources/read": { contents: [{ uri: "note://whoami", text }] },
    "resources/subscribe": {},
    "tools/list": { tools: toolsFor(token) },
    "tools/call": { content: [{ type: "text", text }], isError: false, ...leaked },
  };
  const result = results[method];
  const answer = result === undefined
    ? { error: { code: -32601, message: "Method not found" } }
    : { result };
  return Response.json({ jsonrpc: "2.0", id, ...answer });
}

async function seenOf(request: Request): Promise<SeenRequest> {
  const { pathname, search } = new URL(request.url);
  return {
    method: request.method,
    path: `${pathname}${search}`,
    headers: new Headers(request.headers),
    body: await request.text(),
  };
}

function credentialsOf(asked: URLSearchParams, headers: Headers): [string, string | undefined] {
  const [, basic] = /^Basic (.*)$/.exec(headers.get("authorization") ?? "") ?? [];
  if (basic === undefined) {
    return [asked.get("client_id") ?? "", asked.get("client_secret") ?? undefined];
  }
  const [id = "", secret] = atob(basic).split(":");
  return [id, secret];
}

async function challengeOf(verifier: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return new Uint8Array(hash).toBase64({ alphabet: "base64url", omitPadding: true });
}

function oauthError(error: string, status = 400): Response {
  return Response.json({ error, error_description: "no" }, { status });
}
