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

  /** Returns what `error` says of the session: nothing, that it may be `lost`, or also that its request is `unread`. */
  of(error: unknown, hasSession: boolean): "none" | "unread" | "lost" {
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
