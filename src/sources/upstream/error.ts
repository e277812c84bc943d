/** Why a server did not do what it was asked. */

/** What the audit log has of it. */
export type UpstreamErrorKind = "unreachable" | "ended" | "timed out" | "cancelled" | "refused";

/** A failure in words for the agent. */
export class UpstreamError extends Error {
  constructor(message: string, readonly kind: UpstreamErrorKind) {
    super(message);
  }
}

/** The error that says `Server 'NAME'` and `text`. */
export function errorOf(server: string, kind: UpstreamErrorKind, text: string): UpstreamError {
  return new UpstreamError(`Server '${server}' ${text}`, kind);
}
