/**
 * A tool's name and raw arguments → the plan of the call, or the text of the refusal: the four stages that
 * run nothing, in their order. That is what makes `--dry-run` honest.
 */

import type { CallRequest, PlanningContext, ReadyCall } from "./prepared_call.ts";
import { isRefused, type RefusedCall, withSignature } from "./refusal.ts";
import { authorize } from "./stages/authorize.ts";
import { coerce } from "./stages/coerce.ts";
import { plan } from "./stages/plan.ts";
import { resolve } from "./stages/resolve.ts";

/** A call ready to run, or the refusal. */
export type Prepared = ReadyCall | RefusedCall;

/** Finds the tool, checks the arguments in the contract's order and plans the call. */
export async function prepareCall(
  context: PlanningContext,
  request: CallRequest,
): Promise<Prepared> {
  const prepared = await prepare(context, request);
  return isRefused(prepared) ? withSignature(prepared, context) : prepared;
}

async function prepare(context: PlanningContext, request: CallRequest): Promise<Prepared> {
  const resolved = resolve({ context, request });
  if (isRefused(resolved)) return resolved;
  const coerced = coerce(resolved);
  if (isRefused(coerced)) return coerced;
  const authorized = await authorize(coerced);
  return isRefused(authorized) ? authorized : await plan(authorized);
}
