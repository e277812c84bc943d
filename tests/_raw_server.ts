/** A server over HTTP/1.1 that ends connections as it is told, keeps them otherwise, and counts what it has read. */

import { createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** Ways in which a connection is lost after a request was read. */
export type LossName = "fin" | "rst" | "half a head" | "half an answer" | "rst in an answer";

const half = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2000\r\n\r\n{";

export const losses: Readonly<Record<LossName, (socket: Socket) => void>> = {
  fin: (socket) => socket.end(),
  rst: (socket) => socket.resetAndDestroy(),
  "half a head": (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-t"),
  "half an answer": (socket) => socket.end(half),
  // The client has read the half when the rest is refused
  "rst in an answer": (socket) => {
    socket.write(half, () => setTimeout(() => socket.resetAndDestroy(), 20));
  },
};

export const lossNames = Object.keys(losses) as LossName[];

/** The bytes of an answer after which the connection is kept. */
export function answerOf(body: string, status = "200 OK", more = ""): string {
  const length = new TextEncoder().encode(body).length;
  const head = `content-type: application/json\r\ncontent-length: ${length}\r\n${more}`;
  return `HTTP/1.1 ${status}\r\n${head}\r\n${body}`;
}

export async function rawServer(onRequest: (request: RawRequest, socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const requests: RawRequest[] = [];
  const server = createServer((socket) => {
    let read = "";
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    socket.on("data", (data) => {
      read += data.toString();
      for (;;) {
        const [head, method, path] = /^(\w+) (\S+)[^]*?\r\n\r\n/.exec(read) ?? [];
        if (head === undefined) return;
        const end = head.length + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
        if (read.length < end) return;
        const request = { method: method!, path: path!, body: read.slice(head.length, end) };
        read = read.slice(end);
        requests.push(request);
        onRequest(request, socket);
      }
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}
