/** Opens a port for HTTP requests, with bounds on connections, headers, chunks of bodies and time. */

import {
  createServer as createPlainServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer } from "node:https";
import { Server as NetServer, type Socket } from "node:net";
import { FileError, messageOf } from "../../errors.ts";
import { type Address, addressText } from "../../process/address.ts";
import { deadline, delay } from "../../async/deadline.ts";
import { type CancelTimer, type Clock, repeat, systemClock } from "../../async/clock.ts";
import type { HttpLimits } from "./limits.ts";

/** At the end, the last answers have this many milliseconds before all connections are closed. */
const lingerMs = 3000;

/** After the port was closed, this many milliseconds without a request mean that none is on the way. */
const arrivalMs = 250;

export interface Tls {
  readonly cert: string;
  readonly key: string;
}

interface ListenOptions {
  readonly address: Address;
  readonly limits: HttpLimits;
  readonly tls?: Tls | undefined;
  readonly clock?: Clock;
}

interface Listener {
  readonly address: Address;
  /** Closes each connection after its next answer. Resolves when none is open or no request is expected. */
  drain(): Promise<void>;
  /** Closes the port and all connections: idle ones at once, others after their answers. */
  close(): Promise<void>;
}

/** @throws {ClimaxError} if the port cannot be opened */
export async function listen(
  { address, limits, tls, clock = systemClock }: ListenOptions,
  handle: (req: IncomingMessage, res: ServerResponse) => Promise<void>,
): Promise<Listener> {
  const connections = new Connections(limits, clock);
  let requests = 0;
  const server = createServer({ limits, tls }, (req, res) => {
    requests++;
    boundPieces(req);
    if (connections.enter(req.socket, res)) void handle(req, res);
  });
  server.on("connection", (socket: Socket) => connections.open(socket));
  server.on("secureConnection", (socket: Socket) => connections.secure(socket));
  try {
    await bind(server, address);
  } catch (error) {
    connections.close();
    throw error;
  }
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : address.port;
  const closePort = () => {
    // Only the port is closed: `close()` of an HTTP server would also close idle connections, and lose requests on them
    if (server.listening) NetServer.prototype.close.call(server);
    connections.drain();
  };
  return {
    address: { host: address.host, port },
    async drain() {
      // Deno 2.9.6 fires timers before it accepts waiting connections, which would be lost if the port closed now
      for (let turn = 0; turn < 2; turn++) await delay(0, undefined, clock);
      closePort();
      for (let before = -1; before < requests;) {
        before = requests;
        await deadline(connections.empty(), arrivalMs, undefined, clock);
      }
    },
    async close() {
      closePort();
      server.closeIdleConnections();
      await deadline(connections.empty(), lingerMs, undefined, clock);
      server.closeAllConnections();
      connections.close();
    },
  };
}

function createServer(
  { limits, tls }: Pick<ListenOptions, "limits" | "tls">,
  onRequest: (req: IncomingMessage, res: ServerResponse) => void,
): Server {
  const settings = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: Math.min(1000, limits.headersMs),
    keepAliveTimeout: 30_000,
    handshakeTimeout: limits.headersMs,
  };
  return tls === undefined
    ? createPlainServer(settings, onRequest)
    : createTlsServer({ ...settings, ...tls }, onRequest);
}

async function bind(server: Server, address: Address): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(address.port, address.host, resolve);
  try {
    await promise;
  } catch (error) {
    const isTaken = (error as { code?: unknown }).code === "EADDRINUSE";
    const reason = isTaken ? "another program listens there" : messageOf(error);
    const hint = isTaken ? { hint: "End it, or name another port" } : {};
    const message = `Port ${addressText(address)} cannot be listened on: ${reason}`;
    throw new FileError("Nothing is served", { message, ...hint });
  }
}

/** The first chunks of a body, up to this number, may have any size; later ones must have `minBytes` on average. */
const freePieces = 1000;
const minBytes = 256;

/** Closes a connection that sends too many small chunks, each of which costs as much time as hundreds of bytes. */
function boundPieces(req: IncomingMessage): void {
  const push = req.push.bind(req);
  let pieces = 0;
  let bytes = 0;
  const count = (piece: Uint8Array | null, encoding?: BufferEncoding) => {
    if (piece === null) return push(piece, encoding);
    bytes += piece.length;
    if (++pieces <= freePieces + bytes / minBytes) return push(piece, encoding);
    req.socket.destroy();
    return false;
  };
  // A function literal assigned to a property is allocated in V8's old space, and would keep its context alive for long
  req.push = count;
}

interface Connection {
  readonly address: string;
  socket: Socket;
  readonly responses: Set<ServerResponse>;
  idleAt: number;
  written: number;
  progressAt: number;
}

/** Bounds the open connections of a port by address, since a client is not known before its request is read. */
class Connections {
  readonly #open = new Map<string, Connection>();
  readonly close: CancelTimer;
  readonly #emptied: (() => void)[] = [];
  #isDraining = false;
  #idle = 0;

  constructor(private readonly limits: HttpLimits, private readonly clock: Clock) {
    this.close = repeat(clock, limits.stalledMs / 4, () => this.#endStalled(), { unref: true });
  }

  /** If there are too many connections, an idle one is closed, or else the new one. */
  open(socket: Socket): void {
    const key = keyOf(socket);
    if (this.#open.size >= this.limits.connections) this.#closeIdle();
    if (this.#open.size >= this.limits.connections) return void socket.destroy();
    const address = socket.remoteAddress ?? "";
    const responses = new Set<ServerResponse>();
    const [idleAt, progressAt] = [this.#idle++, this.clock.now()];
    this.#open.set(key, { address, socket, responses, idleAt, written: 0, progressAt });
    socket.once("close", () => {
      this.#open.delete(key);
      if (this.#open.size === 0) { for (const resolve of this.#emptied) resolve(); }
      // Node closes the response that is being sent, but not the later ones of the connection, which would never end
      for (const response of responses) response.destroy().emit("close");
    });
  }

  secure(socket: Socket): void {
    const connection = this.#open.get(keyOf(socket));
    if (connection !== undefined) connection.socket = socket;
  }

  /** Adds a request. If the connection has too many, closes it and returns false. */
  enter(socket: Socket, response: ServerResponse): boolean {
    const key = keyOf(socket);
    const connection = this.#open.get(key);
    if (connection === undefined || connection.responses.size >= this.limits.pipelined) {
      socket.destroy();
      return false;
    }
    const { responses } = connection;
    responses.add(response);
    if (this.#isDraining) response.setHeader("connection", "close");
    response.once("close", () => {
      responses.delete(response);
      connection.idleAt = this.#idle++;
    });
    return true;
  }

  drain(): void {
    this.#isDraining = true;
    for (const response of this.#open.values().flatMap(({ responses }) => responses.values())) {
      if (!response.headersSent) response.setHeader("connection", "close");
    }
  }

  async empty(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((resolve) => this.#emptied.push(resolve));
  }

  /** Closes the connection that is idle for longest, of the address with most idle connections. */
  #closeIdle(): void {
    const waiting = this.#open.values().filter(({ responses }) => responses.size === 0);
    const most = Map.groupBy(waiting, ({ address }) => address).values()
      .reduce((a, b) => b.length > a.length ? b : a, []);
    const [first] = most.toSorted((one, other) => one.idleAt - other.idleAt);
    if (first === undefined) return;
    this.#open.delete(keyOf(first.socket));
    first.socket.destroy();
  }

  #endStalled(): void {
    const now = this.clock.now();
    for (const connection of this.#open.values()) {
      const { socket, responses: [sent], written, progressAt } = connection;
      const isUnread = sent?.writableEnded === true || sent?.writableNeedDrain === true;
      if (!isUnread || socket.bytesWritten !== written) {
        Object.assign(connection, { written: socket.bytesWritten, progressAt: now });
      } else if (now - progressAt >= this.limits.stalledMs) socket.destroy();
    }
  }
}

function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
