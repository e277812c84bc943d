/** A call on its way from a request to a plan. Each step adds what it found out. */

import type { Plan } from "../tool/runner.ts";
import type { ArgValues, Tool } from "../tool/tool.ts";
import type { CallContext } from "./context.ts";

/** A tool to run and what to run it with. */
export interface CallRequest {
  readonly tool: string;
  /** What the agent sent; absent and `null` mean no arguments. */
  readonly args?: unknown;
  /** Whether a name that no argument has is refused, as where a person typed it. @default false */
  readonly refusesUnknown?: boolean;
}

/** The parts of a session that a plan takes. */
export type PlanningContext =
  & Pick<CallContext, "index" | "runners">
  & Partial<Pick<CallContext, "results">>;

/** A call as it was asked for. */
export interface RequestedCall {
  readonly context: PlanningContext;
  readonly request: CallRequest;
}

/** A call whose tool is known. */
export interface ResolvedCall extends RequestedCall {
  /** The catalogue that the tool was found in. */
  readonly index: CallContext["index"];
  readonly tool: Tool;
  /** The arguments as they were sent. */
  readonly given: Readonly<Record<string, unknown>>;
}

/** A call whose values have the types of the tool's arguments, defaults and fixed values included. */
export interface CoercedCall extends ResolvedCall {
  readonly values: ArgValues;
}

/** A call that may be run. */
export interface ReadyCall extends CoercedCall {
  readonly ok: true;
  readonly plan: Plan;
}
