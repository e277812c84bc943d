/** The request to a sub-agent, with names of the data model (entity 9). */

export interface AgentRequest {
  readonly requestId: string;
  readonly prompt: string;
  readonly context?: unknown;
}
