/** Describes failed requests to language models for people, without the key. */

import "./quiet_sdk.ts";
import { APICallError, RetryError } from "ai";
import { excerpt } from "../../text/excerpt.ts";
import { PermanentFailure } from "./http.ts";
import { messageOf } from "../../errors.ts";

/** The kinds that callers distinguish. */
export type FailureKind = "credential" | "rate limit" | "refused" | "unreachable" | "provider";

/** A failed request to a model. */
export interface ModelFailure {
  readonly kind: FailureKind;
  readonly message: string;
}

/** Most characters of the message of a provider. */
const wordsLength = 500;

/** Describes `error` of the AI SDK; `name` is that of the model. */
export function modelFailure(error: unknown, name: string): ModelFailure {
  if (RetryError.isInstance(error)) {
    const { kind, message } = modelFailure(error.lastError, name);
    return { kind, message: `${message} (asked ${error.errors.length} times)` };
  }
  const permanent = permanentIn(error);
  if (permanent !== undefined) {
    const reason = excerpt(permanent.message, wordsLength);
    return { kind: "unreachable", message: `Model '${name}' cannot be reached: ${reason}` };
  }
  const words = excerpt(messageOf(error).trim(), wordsLength);
  const statusCode = statusOf(error);
  switch (statusCode) {
    case undefined:
      return APICallError.isInstance(error)
        ? { kind: "unreachable", message: `Model '${name}' cannot be reached: ${rootOf(error)}` }
        : {
          kind: "provider",
          message: `Model '${name}' gave no answer that can be used: ${words}`,
        };
    case 401:
    case 403:
      return {
        kind: "credential",
        message:
          `The provider of '${name}' does not accept the credential (${statusCode}): ${words}`,
      };
    case 404:
      return {
        kind: "refused",
        message: `The provider does not know the model '${name}' (404): ${words}`,
      };
    case 429:
      return { kind: "rate limit", message: `Model '${name}' is asked too often (429): ${words}` };
    default:
      if (statusCode < 300) {
        return {
          kind: "provider",
          message: `Model '${name}' gave no answer that can be used: ${words}`,
        };
      }
      return statusCode < 500
        ? {
          kind: "refused",
          message: `Model '${name}' refused the request (${statusCode}): ${words}`,
        }
        : {
          kind: "provider",
          message: `The provider of '${name}' failed (${statusCode}): ${words}`,
        };
  }
}

function permanentIn(error: unknown): PermanentFailure | undefined {
  let root = error;
  for (let depth = 0; depth < 10 && root instanceof Error; depth++) {
    if (root instanceof PermanentFailure) return root;
    root = root.cause;
  }
  return undefined;
}

/** Errors of the gateway are classes of their own. */
function statusOf(error: unknown): number | undefined {
  const { statusCode } = error as { statusCode?: unknown };
  return typeof statusCode === "number" ? statusCode : undefined;
}

/** Returns the root cause: the errors around it add nothing. */
function rootOf(error: Error): string {
  let root: Error = error;
  // A cyclic chain must not hang
  for (let depth = 0; depth < 10 && root.cause instanceof Error; depth++) root = root.cause;
  return excerpt(root.message.trim(), wordsLength);
}
