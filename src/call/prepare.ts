/** Plans a call without running it: the four stages that have no effect, in order. `--dry-run` uses the same. */

import type { CallRequest, PlanningContext, ReadyCall } from "./prepared_call.ts";
import { isRefused, type RefusedCall, withSignature } from "./refusal.ts";
import { authorize } from "./stages/authorize.ts";
import { coerce } from "./stages/coerce.ts";
import { plan } from "./stages/plan.ts";
import { resolve } from "./stages/resolve.ts";

export type Prepared = ReadyCall | RefusedCall;

export async function prepareCall(
  context: PlanningContext,
  request: CallRequest,
): Promise<Prepared> {
  const prepared = await prepare(context, request);
  return isRefused(prepared) ? withSignature(prepared) : prepared;
}

async function prepare(context: PlanningContext, request: CallRequest): Promise<Prepared> {
  const resolved = await resolve({ context, request });
  if (isRefused(resolved)) return resolved;
  const coerced = coerce(resolved);
  if (isRefused(coerced)) return coerced;
  const authorized = await authorize(coerced);
  return isRefused(authorized) ? authorized : await plan(authorized);
}
