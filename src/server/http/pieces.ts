/** The pieces that the body of a request comes in (RFC 9112, section 7.1). */

import type { IncomingMessage } from "node:http";

/** Pieces that a body may always come in. */
const freePieces = 1000;

/** Bytes that pieces beyond them must have on average. */
const leastBytes = 256;

/**
 * Closes the connection when the body of `req` comes in pieces that are too small: each takes this thread
 * and its memory as much as hundreds of bytes do, also before it is known whose request it is. So they
 * are counted as Node's parser hands them over, which it does with all that has come at once.
 */
export function boundPieces(req: IncomingMessage): void {
  const push = req.push.bind(req);
  let pieces = 0;
  let bytes = 0;
  req.push = (piece: Uint8Array | null, encoding?: BufferEncoding) => {
    if (piece === null) return push(piece, encoding);
    bytes += piece.length;
    if (++pieces <= freePieces + bytes / leastBytes) return push(piece, encoding);
    req.socket.destroy();
    return false;
  };
}
