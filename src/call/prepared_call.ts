/** The types of a call from request to plan. Each step adds what it has found. */

import type { Plan } from "../tool/runner.ts";
import type { ArgValues, Tool } from "../tool/tool.ts";
import type { CallContext } from "./context.ts";

export interface CallRequest {
  readonly tool: string;
  /** The arguments as sent; absent and `null` mean none. */
  readonly args?: unknown;
  /** Refuses a name that no argument has, as for a call that a person typed. @default false */
  readonly refusesUnknown?: boolean;
}

export type PlanningContext =
  & Pick<CallContext, "index" | "runners">
  & Partial<Pick<CallContext, "features" | "explainWithheld">>;

export interface RequestedCall {
  readonly context: PlanningContext;
  readonly request: CallRequest;
}

export interface ResolvedCall extends RequestedCall {
  /** The index that has the tool. */
  readonly index: CallContext["index"];
  readonly tool: Tool;
  readonly given: Readonly<Record<string, unknown>>;
}

/** A call whose values have their types; defaults and fixed values are included. */
export interface CoercedCall extends ResolvedCall {
  readonly values: ArgValues;
  /** Keys that were sent and name no argument. */
  readonly unknown: readonly string[];
}

export interface ReadyCall extends CoercedCall {
  readonly ok: true;
  readonly plan: Plan;
}
