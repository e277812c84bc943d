/** Capabilities of a client, in either era of the protocol. */

import type { ClientCapabilities, ServerContext } from "@modelcontextprotocol/server";
import type { CallResult } from "../tool/result.ts";
import type { PlanOptions, ProgressEvent, Question } from "../tool/runner.ts";

/** Functions of the client for one call. */
export interface CallHooks extends Pick<PlanOptions, "ask" | "elicitationScope"> {
  readonly signal: AbortSignal;
  readonly onProgress: (event: ProgressEvent) => void;
}

export type StartCall = (hooks: CallHooks) => Promise<CallResult>;

/** Returns why this client cannot ask its user this question, if it cannot. */
export function whyNot(
  { mode }: Question,
  capabilities: ClientCapabilities | undefined,
): string | undefined {
  const elicitation = capabilities?.elicitation;
  if (elicitation === undefined) return "the client does not support elicitation";
  const { form, url } = elicitation;
  const takesForms = form !== undefined || url === undefined;
  const can = mode === "url" ? url !== undefined : takesForms;
  return can ? undefined : `the client does not support elicitation by ${mode}`;
}

/** Sends progress to a client that has asked for it with a progress token. */
export function progressOf({ mcpReq }: ServerContext): (event: ProgressEvent) => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  return (event) => {
    const params = { progressToken, ...event };
    // The client may have disconnected
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}
