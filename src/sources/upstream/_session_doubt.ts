/** Finds a session that a server has lost, by whatever error it says so with. */

/** Returns the code of the error that a server answered with. */
export function codeOf(error: unknown): number | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === "number" ? code : undefined;
}

/** Codes of errors about a request itself: JSON-RPC 2.0, an unknown resource, an address that a person must open. */
const requestErrors: readonly unknown[] = [-32601, -32602, -32002, -32042];

/**
 * Returns what an error says of the session. A request is sent again only if it was refused: `unread`. 404 means that the
 * session is over (MCP 2025-11-25, session management), 400 in the reference server; others say so with any other error.
 */
export function doubtOf(
  error: unknown,
  hasSession: boolean,
  lastCode: number | undefined,
): "none" | "unread" | "lost" {
  const { status, code, kind } = error as { status?: unknown; code?: unknown; kind?: unknown };
  if (status === 404 || status === 400 || code === "SEND_FAILED") return "unread";
  if (!hasSession) return "none";
  if (kind === "needs a login") return "unread";
  if (typeof status === "number") {
    // A limit, and what stands between, say nothing of the session
    if ([429, 502, 504].includes(status)) return "none";
    return status < 500 ? "unread" : "lost";
  }
  if (typeof code !== "number" || requestErrors.includes(code)) return "none";
  // A tool that fails once may say so with this code
  return code === -32603 && lastCode !== code ? "none" : "lost";
}
