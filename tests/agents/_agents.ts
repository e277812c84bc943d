/** Sub-agents over real tools, with a model that does what a test says. */

import type { Clock } from "../../src/async/clock.ts";
import { call } from "../../src/call/call.ts";
import type { CallOptions } from "../../src/call/pipeline.ts";
import { type Credential, Secret } from "../../src/agents/llm/lookup.ts";
import type { LlmSettings } from "../../src/agents/llm/settings.ts";
import type { Session, SessionOptions } from "../../src/session/session.ts";
import { type AgentBudget, type AgentResponse, defaultBudget } from "../../src/agents/request.ts";
import {
  type GroupsFile,
  groupsVersion,
  type ToolGroup,
  toolHash,
} from "../../src/agents/groups.ts";
import { type Agents, openAgents } from "../../src/agents/agent_source.ts";
import type { CallResult } from "../../src/tool/result.ts";
import { type ConfigSketch, sessionOf } from "../_session.ts";

/** The key that no file, log, answer or prompt may have. */
export const plantedKey = "sk-planted-0123456789";

/** A group of these tools of `session`. */
export function groupOf(session: Session, id: string, names: readonly string[]): ToolGroup {
  return {
    id,
    name: id.toUpperCase(),
    description: `Takes care of ${id}`,
    systemPrompt: `You take care of ${id} with your tools.`,
    tools: names.map((name) => {
      const tool = session.index.get(name)!;
      return { name, serverName: tool.owner.name, hash: toolHash(tool) };
    }),
  };
}

/** A file of these groups. */
export function fileOf(...groups: readonly ToolGroup[]): GroupsFile {
  return { version: groupsVersion, proposedBy: "offline", groups: [...groups] };
}

/** Settings of {@linkcode agentsOf}. */
export interface AgentsOptions {
  readonly settings: LlmSettings;
  readonly budget?: Partial<AgentBudget>;
  readonly credential?: Credential;
  readonly session?: Omit<SessionOptions, "configs">;
  /** Tools of each group by its id; absent: all of them in `all`. */
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  readonly clock?: Clock;
}

/** Sub-agents over the tools of `config`. */
export async function agentsOf(
  config: ConfigSketch,
  options: AgentsOptions,
): Promise<Agents> {
  const session = await sessionOf(config, options.session);
  const { groups = { all: session.index.tools.map(({ name }) => name) }, budget } = options;
  const drafts = Object.entries(groups).map(([id, names]) => groupOf(session, id, names));
  return openAgents(fileOf(...drafts), "groups.json", {
    context: session,
    settings: options.settings,
    credential: options.credential ??
      { kind: "key", key: new Secret(plantedKey), from: "a test" },
    environment: () => undefined,
    budget: { ...defaultBudget, ...budget },
    clock: options.clock,
  });
}

/** Asks the sub-agent `id`. */
export async function ask(
  { context }: Agents,
  prompt: string,
  { id = "all", context: data, ...options }: CallOptions & { id?: string; context?: object } = {},
): Promise<CallResult> {
  const args = { prompt, ...(data === undefined ? {} : { context: data }) };
  return await call(context, { tool: `agent_${id}`, args }, options);
}

/** The response that a result carries. */
export function responseOf({ structured }: CallResult): AgentResponse {
  return structured as unknown as AgentResponse;
}
