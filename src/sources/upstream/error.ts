/** The error of a failed request to an upstream server. For a tool it says whether the call may have run. */

import { causesOf } from "../../errors.ts";
import { NetworkError, reasonOf } from "../../net/send_once.ts";
import { isObject } from "../../text/own_property.ts";
import { findLoginNeeded } from "./login/login.ts";
import { excerpt, quote } from "../../text/excerpt.ts";
import { cleanText } from "./_clean_texts.ts";

type UpstreamErrorKind =
  | "unreachable"
  | "ended"
  | "timed out"
  | "cancelled"
  | "refused"
  | "not found"
  | "needs a login";

export class UpstreamError extends Error {
  constructor(message: string, readonly kind: UpstreamErrorKind, options?: ErrorOptions) {
    super(cleanText(message), options);
  }

  get firstLine(): string {
    return excerpt(this.message.split("\n", 1)[0]!, maxLength);
  }
}

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

const maxLength = 2000;

/** Replaces the values of `variables` in `text` by `$NAME`: a message may quote a URL with a secret in it. */
export function withoutValues(text: string, variables: ReadonlyMap<string, string>): string {
  return [...variables].reduce((left, [name, value]) => {
    return value.length < minSecretLength ? left : left.replaceAll(value, `$${name}`);
  }, text);
}

/** Shorter values of variables stay in messages: ordinary text has them too, and would become hard to read. */
const minSecretLength = 6;

export function errorOf(server: string, kind: UpstreamErrorKind, text: string, cause?: unknown) {
  return new UpstreamError(`Server '${server}' ${text}`, kind, { cause });
}

export async function failureOf(server: string, error: unknown, mayChange = false) {
  const failure = await plainFailureOf(server, error);
  return mayChange && isOutcomeUnknown(failure) ? withUnknownOutcome(failure) : failure;
}

async function plainFailureOf(server: string, error: unknown): Promise<UpstreamError> {
  if (error instanceof UpstreamError) return error;
  const needed = findLoginNeeded(error);
  if (needed !== undefined) return new UpstreamError(needed.message, "needs a login");
  const { ProtocolError, ResourceNotFoundError } = await import("@modelcontextprotocol/client");
  if (error instanceof ResourceNotFoundError) {
    return errorOf(server, "not found", `refused: ${error.message}`, error);
  }
  if (error instanceof ProtocolError) {
    const { brokenOff } = await import("./_http.ts");
    return error.data === brokenOff
      ? errorOf(server, "ended", `ended while the call was running: ${error.message}`)
      : errorOf(server, "refused", `refused: ${error.message}${dataOf(error)}`, error);
  }
  const retry = isNotCarriedOut(error) ? ", and is tried again at the next call" : "";
  const text = `${howAnswered(error) ?? `gave no answer${retry}`}: ${reasonOf(error)}`;
  return errorOf(server, "ended", text, error);
}

function isOutcomeUnknown({ kind, cause }: UpstreamError): boolean {
  return (kind === "ended" || kind === "timed out") && !isNotCarriedOut(cause);
}

/** Returns whether the server has surely not carried out the request. HTTP 500 and above may come after it has. */
function isNotCarriedOut(error: unknown): boolean {
  const { status, code } = (error ?? {}) as { status?: unknown; code?: unknown };
  return Number(status) < 500 || code === "SEND_FAILED" ||
    causesOf(error).some((each) => each instanceof NetworkError && each.kind === "unsent");
}

const maxDataLength = 1000;

function dataOf({ data }: { readonly data?: unknown }): string {
  return data === undefined ? "" : ` ${excerpt(JSON.stringify(data), maxDataLength)}`;
}

function howAnswered(error: unknown): string | undefined {
  const { status, code } = error as { status?: unknown; code?: unknown };
  if (typeof status === "number") return `answered with HTTP ${status}`;
  const isUnread = error instanceof SyntaxError || isObject(error) && "issues" in error ||
    /^(?:INVALID_RESULT|CLIENT_HTTP_UNEXPECTED_CONTENT)$/.test(String(code)) ||
    causesOf(error).some((each) => each instanceof NetworkError && each.kind === "unread");
  return isUnread ? "answered, but its answer cannot be read" : undefined;
}

const maxReasonLength = 500;

function withUnknownOutcome({ message, kind, cause }: UpstreamError): UpstreamError {
  const [reason = "", ...tail] = message.split("\n");
  const advice = "The outcome is unknown: it may have been carried out; look before you repeat it";
  const lines = [`${excerpt(reason, maxReasonLength)}. ${advice}`, ...tail];
  return new UpstreamError(lines.join("\n"), kind, { cause });
}
