/** Servers of 2025 behind a URL, whose answers a test writes. */

import {
  UpstreamServer,
  type UpstreamServerOptions,
} from "../../../src/sources/upstream/server.ts";
import { specOf } from "../../_upstream.ts";
import { WebSocketServer } from "ws";

/** A message of the client. */
export interface FarRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params: {
    readonly name?: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly cursor?: unknown;
  };
  /** Its session, if it has one. */
  readonly session: string | null;
}

type FarAnswer = Response | object | undefined;

const where = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
const serverInfo = { name: "far", version: "1" };
const handshake = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo };
const noMethod = { code: -32601, message: "Method not found" };

/** The answer to a message that a test leaves to its server. */
function usualAnswer(id: unknown, method: string): object {
  const answer = method === "initialize" ? { result: handshake } : { error: noMethod };
  return { jsonrpc: "2.0", id, ...answer };
}

/** A server over HTTP with its client: `answer` has results or responses; absent: the usual ones. */
export function farServer(
  answer: (request: FarRequest) => FarAnswer | Promise<FarAnswer>,
  { onGet, onOpen, ...options }: Partial<UpstreamServerOptions> & {
    /** The answer to a request for events. @default there are none */
    readonly onGet?: (session: string | null) => Response;
    /** Gives the session that an initialization opens. @default it opens none */
    readonly onOpen?: () => string | number;
  } = {},
) {
  const server = Deno.serve(where, async (request) => {
    const session = request.headers.get("mcp-session-id");
    if (request.method === "GET" && onGet !== undefined) return onGet(session);
    if (request.method !== "POST") return new Response(null, { status: 405 });
    const { id, method, params = {} } = await request.json();
    const given = await answer({ id, method, params, session });
    if (given instanceof Response) return given;
    if (given !== undefined) return Response.json({ jsonrpc: "2.0", id, result: given });
    if (id === undefined) return new Response(null, { status: 202 });
    const opened = method === "initialize" ? onOpen?.() : undefined;
    const headers = opened === undefined ? {} : { "mcp-session-id": `${opened}` };
    return Response.json(usualAnswer(id, method), { headers });
  });
  const url = `http://127.0.0.1:${server.addr.port}/mcp`;
  const spec = specOf({ name: "far", transport: "http", url });
  const upstream = new UpstreamServer(spec, { environment: () => undefined, ...options });
  return {
    url,
    upstream,
    async [Symbol.asyncDispose]() {
      await upstream.close();
      await server.shutdown();
    },
  };
}

/** The part of a socket of `ws` that tests use. */
export interface FarSocket {
  send(data: string | Uint8Array, options?: object, done?: (error?: Error) => void): void;
  close(): void;
  on(event: "message", listener: (data: Uint8Array) => void): void;
  on(event: "close", listener: (code: number) => void): void;
}

/** A server over a WebSocket with its client: `call` answers calls of tools. */
export async function farSocketServer(
  call: (request: FarRequest, socket: FarSocket) => unknown,
) {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  /** The codes with which connections were closed. */
  const closes: number[] = [];
  server.on("connection", (socket: FarSocket) => {
    socket.on("close", (code) => void closes.push(code));
    socket.on("message", (data) => {
      const { id, method, params = {} } = JSON.parse(new TextDecoder().decode(data));
      if (method === "tools/call") return void call({ id, method, params, session: null }, socket);
      if (id !== undefined) socket.send(JSON.stringify(usualAnswer(id, method)));
    });
  });
  await new Promise((done) => server.once("listening", done));
  const url = `ws://127.0.0.1:${server.address().port}/mcp`;
  const spec = specOf({ name: "far", transport: "websocket", url });
  const upstream = new UpstreamServer(spec, { environment: () => undefined });
  return {
    upstream,
    closes,
    async [Symbol.asyncDispose]() {
      await upstream.close();
      await new Promise((done) => server.close(done));
    },
  };
}
