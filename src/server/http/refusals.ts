/** Replies to requests that are refused for their client, their session or the load. */

import type { IncomingMessage } from "node:http";
import { errorReply, type HttpReply } from "./answer.ts";

/** The same for a profile that does not exist, and for one that is not for this client. */
export function unknownProfile(): HttpReply {
  return errorReply(404, "There is no such profile for this client");
}

export function methodNotAllowed(req: IncomingMessage): HttpReply {
  const text = req.method === "GET"
    ? "There is no stream to open: messages are sent only in the answer to a POST"
    : "Only POST is answered here: this client has no session";
  return errorReply(405, text, { allow: "POST" });
}

export function unknownSession(): HttpReply {
  return errorReply(404, "There is no such session: begin another with initialize");
}

export function busy(status: number, why: string): HttpReply {
  return errorReply(status, `${why}: try again later`, { "retry-after": "1" });
}

export function shuttingDown(): HttpReply {
  return busy(503, "The server is shutting down");
}
