/** The reason why a server did not do what it was asked. */

import { stripControlSequences } from "../../text/control_sequences.ts";
import { excerpt } from "../../text/excerpt.ts";

/** What the audit log has of it. */
export type UpstreamErrorKind = "unreachable" | "ended" | "timed out" | "cancelled" | "refused";

/** A failure in words for people: the last words of the server's program may follow, a line each. */
export class UpstreamError extends Error {
  constructor(message: string, readonly kind: UpstreamErrorKind) {
    super(stripControlSequences(message));
  }

  /** The same for an agent, which is not told what a program wrote to its log. */
  get firstLine(): string {
    return excerpt(this.message.split("\n", 1)[0]!, maxLength);
  }
}

/** Characters of what an agent is told: a server may say as much as it likes. */
const maxLength = 2000;

/** `text` with the values of `variables` as `$NAME`, so that an URL of a message tells no secret. */
export function withoutValues(text: string, variables: ReadonlyMap<string, string>): string {
  return [...variables].reduce((left, [name, value]) => {
    return value.length < minSecretLength ? left : left.replaceAll(value, `$${name}`);
  }, text);
}

/** Characters from which on a value is taken for one that may be a secret. */
const minSecretLength = 6;

/** The error that says `Server 'NAME'` and `text`. */
export function errorOf(server: string, kind: UpstreamErrorKind, text: string): UpstreamError {
  return new UpstreamError(`Server '${server}' ${text}`, kind);
}
