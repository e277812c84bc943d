/** The error of a failed request to an upstream server. */

import { causesOf, messageOf } from "../../errors.ts";
import { NetworkError } from "../../net/send_once.ts";
import { excerpt, quote } from "../../text/excerpt.ts";
import { cleanText } from "./_clean_texts.ts";

/** The ending in the audit log. */
type UpstreamErrorKind =
  | "unreachable"
  | "ended"
  | "timed out"
  | "cancelled"
  | "refused"
  | "not found"
  | "needs a login";

/** The message is for people: its first line may be followed by the end of stderr. */
export class UpstreamError extends Error {
  constructor(message: string, readonly kind: UpstreamErrorKind, options?: ErrorOptions) {
    super(cleanText(message), options);
  }

  /** The message for an agent, without stderr. */
  get firstLine(): string {
    return excerpt(this.message.split("\n", 1)[0]!, maxLength);
  }
}

/** Returns the message of `error`, or that of the failure of the network which caused it. */
export function reasonOf(error: unknown): string {
  return messageOf(causesOf(error).find((each) => each instanceof NetworkError) ?? error);
}

/** Says why there is no connection, for agents: with words of the server only where those are an error of its own. */
export function ownReasonOf(error: unknown): string {
  for (const at of causesOf(error)) {
    const { status, code, message } = at as { status?: unknown; code?: unknown; message?: unknown };
    if (typeof status === "number") return `it answers with HTTP ${status}`;
    if (typeof code === "number") {
      return `it answers with the error ${code}: ${quote(excerpt(String(message), 200))}`;
    }
  }
  return reasonOf(error);
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

export function errorOf(
  server: string,
  kind: UpstreamErrorKind,
  text: string,
  cause?: unknown,
): UpstreamError {
  return new UpstreamError(`Server '${server}' ${text}`, kind, { cause });
}
