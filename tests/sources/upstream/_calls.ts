/** Calls of one server, without a session around it. */

import assert from "node:assert/strict";
import { UpstreamError } from "../../../src/sources/upstream/error.ts";
import type { UpstreamCall, UpstreamServer } from "../../../src/sources/upstream/server.ts";
import type { Caller } from "../../../src/tool/runner.ts";
import { deadlineMs } from "../../_wait.ts";

/** The end of what is said of a call that a server may have carried out. */
export const unknownOutcome =
  ". The outcome is unknown: it may have been carried out; look before you repeat it";

export function callOf(
  name: string,
  args = {},
  { timeoutMs = deadlineMs(), ...caller }: Caller & { readonly timeoutMs?: number } = {},
): UpstreamCall {
  const definition = { name, inputSchema: { type: "object" } as const };
  return { definition, args, timeoutMs, caller };
}

export async function textOf(server: UpstreamServer, call: UpstreamCall): Promise<string> {
  const { content } = await server.call(call);
  return content.map((block) => block.type === "text" ? block.text : block.type).join("|");
}

export async function failureOf(work: Promise<unknown>): Promise<UpstreamError> {
  const error = await work.then(() => undefined, (error) => error);
  assert.equal(error instanceof UpstreamError, true, String(error));
  return error;
}
