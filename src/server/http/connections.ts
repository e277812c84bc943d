/** Bounds the open connections of a port by address: a client is unknown before its request is read. */

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type CancelTimer, type Clock, repeat } from "../../async/clock.ts";
import type { HttpLimits } from "./limits.ts";

interface Connection {
  readonly address: string;
  socket: Socket;
  /** Unanswered requests. */
  readonly responses: Set<ServerResponse>;
  /** Bytes written, at the last progress. */
  written: number;
  progressAt: number;
}

/** Checks of the progress of a client within {@linkcode HttpLimits.stalledMs}. */
const checksPerStall = 4;

/** Idle connections are in the order in which they became idle. */
export class Connections {
  readonly #limits: HttpLimits;
  readonly #open = new Map<string, Connection>();
  readonly #clock: Clock;
  readonly #cancel: CancelTimer;
  readonly #emptied: (() => void)[] = [];
  #isDraining = false;

  constructor(limits: HttpLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    const checkMs = limits.stalledMs / checksPerStall;
    this.#cancel = repeat(clock, checkMs, () => this.#endStalled(), { unref: true });
  }

  /** Adds a connection. If there are too many, closes an idle one, or this one without any. */
  open(socket: Socket): void {
    const key = keyOf(socket);
    if (this.#open.size >= this.#limits.connections) this.#closeIdle();
    if (this.#open.size >= this.#limits.connections) return void socket.destroy();
    const address = socket.remoteAddress ?? "";
    const responses = new Set<ServerResponse>();
    const progressAt = this.#clock.now();
    this.#open.set(key, { address, socket, responses, written: 0, progressAt });
    socket.once("close", () => {
      this.#open.delete(key);
      if (this.#open.size === 0) { for (const resolve of this.#emptied) resolve(); }
      // Node closes the response that is being sent, and forgets those that wait
      for (const response of responses) response.destroy().emit("close");
    });
  }

  /** Replaces an open connection by `socket`, which has TLS. */
  secure(socket: Socket): void {
    const connection = this.#open.get(keyOf(socket));
    if (connection !== undefined) connection.socket = socket;
  }

  /** Adds a request. Returns false if it is one too many. */
  enter(socket: Socket, response: ServerResponse): boolean {
    const key = keyOf(socket);
    const connection = this.#open.get(key);
    if (connection === undefined || connection.responses.size >= this.#limits.pipelined) {
      socket.destroy();
      return false;
    }
    const { responses } = connection;
    responses.add(response);
    if (this.#isDraining) response.setHeader("connection", "close");
    response.once("close", () => {
      responses.delete(response);
      // Moves it to the end of the idle ones
      if (this.#open.delete(key)) this.#open.set(key, connection);
    });
    return true;
  }

  /** From now on, each answer is the last one of its connection. */
  drain(): void {
    this.#isDraining = true;
    for (const response of this.#open.values().flatMap(({ responses }) => responses)) {
      if (!response.headersSent) response.setHeader("connection", "close");
    }
  }

  /** Resolves when none is open. */
  async empty(): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => this.#emptied.push(resolve));
  }

  close(): void {
    this.#cancel();
  }

  /** Closes the connection that has been idle longest, of the address with the most idle ones. */
  #closeIdle(): void {
    const waiting = this.#open.values().filter(({ responses }) => responses.size === 0);
    const most = Map.groupBy(waiting, ({ address }) => address).values()
      .reduce((a, b) => b.length > a.length ? b : a, []);
    if (most[0] === undefined) return;
    this.#open.delete(keyOf(most[0].socket));
    most[0].socket.destroy();
  }

  #endStalled(): void {
    const now = this.#clock.now();
    for (const connection of this.#open.values()) {
      const { socket, responses: [sent], written, progressAt } = connection;
      const isUnread = sent?.writableEnded === true || sent?.writableNeedDrain === true;
      if (!isUnread || socket.bytesWritten !== written) {
        Object.assign(connection, { written: socket.bytesWritten, progressAt: now });
      } else if (now - progressAt >= this.#limits.stalledMs) socket.destroy();
    }
  }
}

/** Equal for a connection and its TLS socket. */
function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
