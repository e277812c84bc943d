/** The error of a failed request to an upstream server. */

import { stripControlSequences } from "../../text/control_sequences.ts";
import { excerpt } from "../../text/excerpt.ts";

/** The ending in the audit log. */
export type UpstreamErrorKind =
  | "unreachable"
  | "ended"
  | "timed out"
  | "cancelled"
  | "refused"
  | "not found"
  | "needs a login";

/** The message is for people: the end of stderr may follow on lines of its own. */
export class UpstreamError extends Error {
  constructor(message: string, readonly kind: UpstreamErrorKind) {
    super(stripControlSequences(message));
  }

  /** The message for an agent, without stderr. */
  get firstLine(): string {
    return excerpt(this.message.split("\n", 1)[0]!, maxLength);
  }
}

/** Most characters of a message for an agent. */
const maxLength = 2000;

/** Replaces the values of `variables` by `$NAME`, so that no URL in a message has a secret. */
export function withoutValues(text: string, variables: ReadonlyMap<string, string>): string {
  return [...variables].reduce((left, [name, value]) => {
    return value.length < minSecretLength ? left : left.replaceAll(value, `$${name}`);
  }, text);
}

/** Shorter values are not taken for secrets. */
const minSecretLength = 6;

export function errorOf(server: string, kind: UpstreamErrorKind, text: string): UpstreamError {
  return new UpstreamError(`Server '${server}' ${text}`, kind);
}
