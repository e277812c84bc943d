/** A server on a port of this machine, and what speaks to it. */

import { Elicitation } from "../../../src/server/elicitation.ts";
import { connect, type Socket } from "node:net";
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { nameCheck } from "../../../src/server/http/addresses.ts";
import { anyone } from "../../../src/server/http/client.ts";
import { type HandlerOptions, HttpHandler } from "../../../src/server/http/handler.ts";
import { defaultHttpLimits, type HttpLimits } from "../../../src/server/http/limits.ts";
import { listen } from "../../../src/server/http/listener.ts";
import type { Surface } from "../../../src/server/surface.ts";
import { FollowedSignal } from "../../../src/async/deadline.ts";

/** What a test changes of a server. */
export interface ServerSettings extends Partial<Omit<HandlerOptions, "limits" | "serving">> {
  /** Told of each call. */
  readonly track?: (running: Promise<unknown>) => void;
  readonly limits?: Partial<HttpLimits>;
}

/** A server that is listening. */
export interface HttpServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Ends streams; resolves when no request is being answered. */
  idle(): Promise<void>;
}

/** Serves `surface` to anyone. */
export async function startHttp(
  surface: Surface,
  { limits: changed, track = () => {}, ...settings }: ServerSettings = {},
): Promise<HttpServer> {
  const limits = { ...defaultHttpLimits, ...changed };
  const stop = new AbortController();
  const address = { host: "127.0.0.1", port: 0 };
  const handler = new HttpHandler({
    surfaceFor: () => surface,
    authenticator: anyone,
    checkNames: nameCheck(address, { hosts: [], origins: [] }),
    limits,
    serving: {
      stop: new FollowedSignal(stop.signal),
      forceEnd: stop.signal,
      track,
      listTtlMs: 60_000,
      elicitation: new Elicitation({ stop: stop.signal }),
    },
    isReady: () => true,
    ...settings,
  });
  const listener = await listen({ address, limits }, (req, res) => handler.handle(req, res));
  const { port } = listener.address;
  return {
    port,
    url: `http://127.0.0.1:${port}/mcp`,
    idle() {
      handler.endStreams();
      return handler.idle();
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await handler.close();
      await listener.close();
    },
  };
}

const identity = { name: "climax-tests", version: "1.0.0" };

/** A connected client, as far as the tests need it. */
export interface Peer extends AsyncDisposable {
  list(): Promise<string[]>;
  call(name: string, args: Record<string, unknown>, options?: CallSettings): Promise<string>;
}

/** How a call is made. */
export interface CallSettings {
  /** Milliseconds after which the client gives up. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
  readonly onprogress?: (event: { progress: number }) => void;
}

/** Connects a client of one kind. */
export type Connect = (url: string, headers?: Record<string, string>) => Promise<Peer>;

/** Every client there is, by what it speaks. */
export const peers: readonly (readonly [string, Connect])[] = [
  ["v2 SDK, 2026-07-28", (url, headers) => connectV2("auto", url, headers)],
  ["v2 SDK, legacy era", (url, headers) => connectV2("legacy", url, headers)],
  ["v1 SDK", connectV1],
];

async function connectV2(
  mode: "auto" | "legacy",
  url: string,
  headers: Record<string, string> = {},
): Promise<Peer> {
  const client = new ClientV2(identity, { versionNegotiation: { mode } });
  await client.connect(new HttpV2(new URL(url), { requestInit: { headers } }));
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args, options) =>
      textOf(await client.callTool({ name, arguments: args }, options)),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function connectV1(url: string, headers: Record<string, string> = {}): Promise<Peer> {
  const client = new ClientV1(identity);
  const transport = new HttpV1(new URL(url), { requestInit: { headers } });
  // Its types were not made for exact optional properties
  await client.connect(transport as Parameters<ClientV1["connect"]>[0]);
  return {
    list: async () => (await client.listTools()).tools.map(({ name }: { name: string }) => name),
    call: async (name, args, options) => {
      return textOf(await client.callTool({ name, arguments: args }, undefined, options));
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function textOf({ content }: { content?: unknown }): string {
  return (content as { text: string }[])[0]!.text;
}

/** What a request says of its client. */
export const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": identity,
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Sends a message by hand, with the headers of every client. */
export function send(
  url: string,
  message: object,
  own: Record<string, string> = {},
  init: RequestInit & { readonly client?: Deno.HttpClient } = {},
): Promise<Response> {
  const accept = "application/json, text/event-stream";
  const headers = { "content-type": "application/json", accept, ...own };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...message });
  return fetch(url, { method: "POST", headers, body, ...init });
}

/** A request of 2026-07-28 by hand; `params` may have an envelope of their own. */
export function post(
  url: string,
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  const name = typeof params["name"] === "string" ? { "mcp-name": params["name"] } : {};
  const own = { "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...name, ...headers };
  return send(url, { method, params: { _meta: envelope, ...params } }, own);
}

/** A connection by hand. */
export class RawConnection implements Disposable {
  readonly #socket: Socket;
  #text = "";
  readonly #waiting = new Set<() => void>();
  /** Resolves with everything that came when the other side has closed. */
  readonly closed: Promise<string>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      this.#text += text;
      for (const look of this.#waiting) look();
    });
    this.closed = new Promise((resolve) => {
      socket.on("close", () => resolve(this.#text));
      socket.on("error", () => resolve(this.#text));
    });
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect(port, "127.0.0.1");
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    return new RawConnection(socket);
  }

  /** Resolves when what came fits `pattern`. */
  async received(pattern: RegExp): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => pattern.test(this.#text) && resolve();
    this.#waiting.add(look);
    look();
    await promise;
    this.#waiting.delete(look);
  }

  write(text: string): void {
    this.#socket.write(text);
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}
