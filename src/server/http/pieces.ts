/** Bounds the chunks of a request body (RFC 9112, section 7.1). */

import type { IncomingMessage } from "node:http";

/** Chunks that every body may have. */
const freePieces = 1000;

/** Least average bytes of further chunks. */
const leastBytes = 256;

/**
 * Closes the connection if the chunks of the body of `req` are too small: each costs as much time and memory as hundreds
 * of bytes, even before the client is known. So chunks are counted as the parser of Node emits them, which it does for
 * all that have arrived.
 */
export function boundPieces(req: IncomingMessage): void {
  const push = req.push.bind(req);
  let pieces = 0;
  let bytes = 0;
  const count = (piece: Uint8Array | null, encoding?: BufferEncoding) => {
    if (piece === null) return push(piece, encoding);
    bytes += piece.length;
    if (++pieces <= freePieces + bytes / leastBytes) return push(piece, encoding);
    req.socket.destroy();
    return false;
  };
  // V8 makes a function literal that is assigned to a property old, and keeps what it refers to for long
  req.push = count;
}
