/** Converts the arguments to the types of the tool, and adds defaults and fixed values. */

import { argumentStage } from "../../tool/runner.ts";
import { coerceArgs } from "../coerce.ts";
import type { CoercedCall, ResolvedCall } from "../prepared_call.ts";
import { refuse, type RefusedCall } from "../refusal.ts";

export function coerce<Call extends ResolvedCall>(
  call: Call,
): (Call & CoercedCall) | RefusedCall {
  const { tool, given, request } = call;
  const coercion = coerceArgs(tool, given, {
    refusesUnknown: tool.refusesUnknown || request.refusesUnknown,
  });
  if (coercion.ok) return { ...call, values: coercion.values };
  const { reasons } = coercion;
  return refuse(tool, { stage: argumentStage, reasons, rule: "arguments" });
}
