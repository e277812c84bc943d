/** Describes failed requests to language models for people, without the key. */

import "./quiet_sdk.ts";
import { RetryError } from "ai";
import { excerpt } from "../../text/excerpt.ts";
import { causesOf, messageOf } from "../../errors.ts";
import { NetworkError } from "../../net/send_once.ts";

/** Most characters of the message of a provider. */
const wordsLength = 500;

/** Describes `error` of the AI SDK; `name` is that of the model. */
export function modelFailure(error: unknown, name: string): string {
  if (RetryError.isInstance(error)) {
    return `${modelFailure(error.lastError, name)} (asked ${error.errors.length} times)`;
  }
  const failed = causesOf(error).find((each) => each instanceof NetworkError);
  if (failed !== undefined && failed.kind !== "unread") {
    return `Model '${name}' cannot be reached: ${excerpt(failed.message, wordsLength)}`;
  }
  const words = excerpt(messageOf(failed ?? error).trim(), wordsLength);
  // Errors of the gateway are classes of their own
  const { statusCode } = error as { statusCode?: unknown };
  const status = typeof statusCode === "number" ? statusCode : undefined;
  switch (status) {
    case 401:
    case 403:
      return `The provider of '${name}' does not accept the credential (${status}): ${words}`;
    case 404:
      return `The provider does not know the model '${name}' (404): ${words}`;
    case 429:
      return `Model '${name}' is asked too often (429): ${words}`;
  }
  if (status === undefined || status < 300) {
    return `Model '${name}' gave no answer that can be used: ${words}`;
  }
  return status < 500
    ? `Model '${name}' refused the request (${status}): ${words}`
    : `The provider of '${name}' failed (${status}): ${words}`;
}
