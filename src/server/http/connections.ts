/**
 * The open connections of a port: who has to go when there are too many, and who reads nothing. A client
 * is not known before its request is read, so that an address counts here and not a name.
 */

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpLimits } from "./limits.ts";

interface Connection {
  readonly address: string;
  socket: Socket;
  /** What is not answered yet. */
  readonly responses: Set<ServerResponse>;
  /** Bytes that were written to it when it was last seen to take some. */
  written: number;
  /** When that was, as `performance.now()` has it. */
  tookAt: number;
}

/** Most looks at what a client reads within {@linkcode HttpLimits.stalledMs}. */
const looks = 4;

/** The open connections of a port; those that wait for a request in the order in which they began to. */
export class Connections {
  readonly #limits: HttpLimits;
  readonly #open = new Map<string, Connection>();
  readonly #timer: ReturnType<typeof setInterval>;

  /** None is open yet. */
  constructor(limits: HttpLimits) {
    this.#limits = limits;
    this.#timer = setInterval(() => this.#endStalled(), limits.stalledMs / looks);
    Deno.unrefTimer(this.#timer);
  }

  /** Takes on a connection, for which one that waits may have to go; without any, it has to go itself. */
  open(socket: Socket): void {
    const key = keyOf(socket);
    if (this.#open.size >= this.#limits.connections) this.#makeRoom();
    if (this.#open.size >= this.#limits.connections) return void socket.destroy();
    const address = socket.remoteAddress ?? "";
    const responses = new Set<ServerResponse>();
    this.#open.set(key, { address, socket, responses, written: 0, tookAt: performance.now() });
    socket.once("close", () => {
      this.#open.delete(key);
      // Node closes the one that is being sent, and forgets those that wait behind it
      for (const response of responses) response.destroy().emit("close");
    });
  }

  /** From now on requests come by `socket`, which has TLS around a connection that is open. */
  secure(socket: Socket): void {
    const connection = this.#open.get(keyOf(socket));
    if (connection !== undefined) connection.socket = socket;
  }

  /** A request has come by `socket` and waits for `response`; whether it is not one too many. */
  enter(socket: Socket, response: ServerResponse): boolean {
    const key = keyOf(socket);
    const connection = this.#open.get(key);
    if (connection === undefined || connection.responses.size >= this.#limits.pipelined) {
      socket.destroy();
      return false;
    }
    const { responses } = connection;
    responses.add(response);
    response.once("close", () => {
      responses.delete(response);
      // It waits from now on, behind all that waited before
      if (this.#open.delete(key)) this.#open.set(key, connection);
    });
    return true;
  }

  /** Looks at nothing any more. */
  close(): void {
    clearInterval(this.#timer);
  }

  /** Ends the connection that has waited longest for a request, of the address that has most of these. */
  #makeRoom(): void {
    const waiting = this.#open.values().filter(({ responses }) => responses.size === 0);
    const most = Map.groupBy(waiting, ({ address }) => address).values()
      .reduce((a, b) => b.length > a.length ? b : a, []);
    if (most[0] === undefined) return;
    this.#open.delete(keyOf(most[0].socket));
    most[0].socket.destroy();
  }

  #endStalled(): void {
    const now = performance.now();
    for (const connection of this.#open.values()) {
      const { socket, responses: [sent], written, tookAt } = connection;
      const isUnread = sent?.writableEnded === true || sent?.writableNeedDrain === true;
      if (!isUnread || socket.bytesWritten !== written) {
        Object.assign(connection, { written: socket.bytesWritten, tookAt: now });
      } else if (now - tookAt >= this.#limits.stalledMs) socket.destroy();
    }
  }
}

/** The same for a connection and for the TLS around it. */
function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
