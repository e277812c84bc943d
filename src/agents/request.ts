/** What a sub-agent is asked, names as in the data model (entity 9). */

/** A request as it was received. */
export interface AgentRequest {
  readonly requestId: string;
  readonly prompt: string;
  readonly context?: unknown;
}
