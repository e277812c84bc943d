/** Says why a request to an authorization server failed, without the texts that it wrote: they may repeat tokens. */

import {
  IssuerMismatchError,
  OAuthClientFlowError,
  OAuthError,
  OAuthErrorCode,
  RegistrationRejectedError,
} from "@modelcontextprotocol/client";
import { reasonOf } from "../error.ts";

export function failureReason(error: unknown): string {
  if (error instanceof IssuerMismatchError) {
    return error.kind === "metadata"
      ? "its authorization server names itself otherwise in its metadata (RFC 8414)"
      : "the answer does not name its authorization server as its issuer (RFC 9207)";
  }
  if (error instanceof RegistrationRejectedError) {
    return `its authorization server refuses to register climax: status ${error.status}`;
  }
  if (error instanceof OAuthClientFlowError) return error.message;
  if (error instanceof OAuthError) {
    return error.code === OAuthErrorCode.ServerError
      ? "its authorization server has an error"
      : `its authorization server refuses: ${errorCode(error.code)}`;
  }
  // Messages of parsers have a part of what was parsed
  const isParsed = error instanceof SyntaxError || Array.isArray((error as Issues | null)?.issues);
  return isParsed ? "its authorization server gave an answer of no known form" : reasonOf(error);
}

interface Issues {
  readonly issues?: unknown;
}

/** An error code of OAuth, or no more of a text than that it is not one. */
export function errorCode(text: string): string {
  return /^[\w.-]{1,60}$/.test(text) ? text : "an error of no known form";
}
