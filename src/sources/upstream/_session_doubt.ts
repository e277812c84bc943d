/** Finds a session that a server has lost, by whatever error it says so with. */

/** Statuses with which a server refuses a request, and so has not carried it out, in a session that it does not know. */
const refusals: readonly unknown[] = [400, 401, 404, 410];

/** Statuses of a limit, and of what stands between: they say nothing of the session. */
const others: readonly unknown[] = [429, 502, 504];

/** Codes of errors about a request itself: JSON-RPC 2.0, an unknown resource, an address that a person must open. */
const requestErrors: readonly unknown[] = [-32601, -32602, -32002, -32042];

export class SessionDoubt {
  #lastCode: unknown;

  clear(): void {
    this.#lastCode = undefined;
  }

  /**
   * Returns what `error` says of the session: nothing, that it may be `lost`, or also that its request is `unread`. A request
   * that may change something is taken for read, unless HTTP or MCP define the answer otherwise, or its text does.
   */
  of(error: unknown, hasSession: boolean, mayChange: boolean): "none" | "unread" | "lost" {
    const doubt = this.#of(error, hasSession);
    return doubt === "unread" && mayChange && mayBeRead(error, hasSession) ? "lost" : doubt;
  }

  #of(error: unknown, hasSession: boolean): "none" | "unread" | "lost" {
    const { status, code, kind } = error as { status?: unknown; code?: unknown; kind?: unknown };
    const isRepeated = code === -32603 && this.#lastCode === code;
    this.#lastCode = code;
    if (status === 404 || status === 400 || code === "SEND_FAILED") return "unread";
    if (!hasSession) return "none";
    if (refusals.includes(status) || kind === "needs a login") return "unread";
    if (typeof status === "number") return others.includes(status) ? "none" : "lost";
    if (typeof code !== "number" || requestErrors.includes(code)) return "none";
    // A tool that fails once may say so with this code
    return code === -32603 && !isRepeated ? "none" : "lost";
  }
}

/** Returns whether an answer with a status may be that of a server which has carried the request out. */
function mayBeRead(error: unknown, hasSession: boolean): boolean {
  const { status, kind, data } = error as {
    status?: unknown;
    kind?: unknown;
    data?: { text?: unknown };
  };
  // A login is renewed, and the request repeated, below this; what is left was refused for good
  if (status === 401 || kind === "needs a login") return true;
  const text = String(data?.text ?? "");
  // Only a server that has read the request knows its id; this code refuses its version of MCP (2026-07-28)
  if (/"code"\s*:\s*-32022\b/.test(text)) return false;
  if (/^\s*\{[^]*"jsonrpc"/.test(text) && /"id"\s*:\s*\d/.test(text)) return true;
  if (status === 404 && hasSession) return false;
  return [400, 404, 410].includes(Number(status)) &&
    !/session|initiali[sz]|protocol.?version/i.test(text);
}
