/** Asks the runner of the tool for a plan, which can be shown and then run. */

import { runnerOf } from "../context.ts";
import type { CoercedCall, ReadyCall } from "../prepared_call.ts";
import { refuse, type RefusedCall } from "../refusal.ts";

export async function plan<Call extends CoercedCall>(
  call: Call,
): Promise<(Call & ReadyCall) | RefusedCall> {
  const { context, tool, values } = call;
  const made = await runnerOf(context, tool).prepare(tool, values);
  return made.ok ? { ...call, ok: true, plan: made } : refuse(tool, made);
}
