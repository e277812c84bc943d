/** Errors of requests that say something about the connection, and not about the request. */

/**
 * True if the HTTP server refused the message before it read the request in it. 404 is how a server says that a
 * session is over (MCP 2025-11-25, transports, session management); the reference server answers 400 after a restart,
 * and so does one that does not know the revision of the protocol.
 */
export function isRefusedUnread(error: unknown): boolean {
  const { status } = (error ?? {}) as { status?: unknown };
  return status === 404 || status === 400;
}
