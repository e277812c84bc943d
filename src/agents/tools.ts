/** Makes a sub-agent of each group, or serves the tools of all groups with the group as their category. */

import { ToolTable } from "../catalog/tool_table.ts";
import type { Problem } from "../errors.ts";
import {
  type Annotations,
  type Arg,
  isBuiltin,
  type ObjectSchema,
  type Source,
  type Tool,
} from "../tool/tool.ts";
import { listNames } from "../text/excerpt.ts";
import { type GroupsFile, type ToolGroup, toolHash } from "./groups.ts";
import { responseSchema } from "./request.ts";
import { type CallContext, narrowContext } from "../call/context.ts";
import { climax } from "../process/own_command.ts";

export const agentKind = "agent";

interface AgentSource extends Source {
  readonly kind: typeof agentKind;
  readonly group: ToolGroup;
}

export function agentSourceOf(tool: Tool): AgentSource {
  return tool.source as AgentSource;
}

const prefix = "agent_";

const named = 10;

const properties = {
  prompt: {
    type: "string",
    minLength: 1,
    description: "The task, with everything needed to do it",
  },
  context: { type: "object", description: "More data for the task" },
} as const;

const inputSchema: ObjectSchema = { type: "object", properties, required: ["prompt"] };

const args = Object.entries(properties).map(([name, { type, description }]): Arg => ({
  name,
  description,
  type: type === "object" ? "json" : type,
  required: name === "prompt",
  role: { kind: "json" },
}));

export function agentTools(
  { groups }: GroupsFile,
  index: ToolTable,
  { file, timeoutMs }: { readonly file: string; readonly timeoutMs: number },
) {
  const warnings = groups.flatMap((group) => warningsOf(group, index, file));
  const tools = groups.filter((group) => toolsOfGroup(group, index).length > 0)
    .map((group) => agentTool(group, toolsOfGroup(group, index), timeoutMs));
  return { tools, warnings };
}

export function toolsOfGroup(group: ToolGroup, index: ToolTable): Tool[] {
  return group.tools.flatMap(({ name }) => index.get(name) ?? []);
}

function agentTool(group: ToolGroup, own: readonly Tool[], timeoutMs: number): Tool {
  const source: AgentSource = { kind: agentKind, group };
  return {
    name: `${prefix}${group.id}`,
    description: group.description,
    owner: {
      name: group.name,
      description: group.description,
      category: "agents",
      tags: [...new Set(own.map(({ owner }) => owner.name))],
    },
    args,
    input: inputSchema,
    output: responseSchema,
    annotations: annotationsOf(group, own),
    timeoutMs,
    source,
  };
}

/** Marks a sub-agent as read-only if all its tools only read, and as open-world, because it asks a model. */
function annotationsOf({ name }: ToolGroup, own: readonly Tool[]): Annotations {
  const isRead = own.every(({ effect, annotations }) => {
    return effect === undefined ? annotations?.readOnlyHint === true : effect === "read";
  });
  return {
    title: name,
    readOnlyHint: isRead,
    destructiveHint: !isRead,
    idempotentHint: false,
    openWorldHint: true,
  };
}

function warningsOf(group: ToolGroup, index: ToolTable, file: string): Problem[] {
  const hint = `Run ${climax()} build again; --keep leaves the other groups unchanged`;
  const warn = (what: string, isMeant: (tool: Tool | undefined, hash?: string) => boolean) => {
    const names = group.tools.filter(({ name, hash }) => isMeant(index.get(name), hash))
      .map(({ name }) => name);
    const message = `Group '${group.name}': ${what}: ${listNames(names, named)}`;
    return names.length === 0 ? [] : [{ file, message, hint }];
  };
  return [
    ...warn("tools that do not exist, or may not be called", (tool) => tool === undefined),
    ...warn("tools that have changed since they were grouped", (tool, hash) => {
      return tool !== undefined && hash !== undefined && toolHash(tool) !== hash;
    }),
    ...warn("tools without a 'hash', whose changes are not seen", (tool, hash) => {
      return tool !== undefined && hash === undefined;
    }),
  ];
}

export function narrowToGroups(context: CallContext, groups: GroupsFile): CallContext {
  const make = (index: ToolTable) => {
    return new ToolTable([...toolsOfGroups(groups, index), ...index.tools.filter(isBuiltin)]);
  };
  return narrowContext(context, { make }).context;
}

/** Returns the tools of all groups; a tool in two groups has the first group as its category. */
function toolsOfGroups({ groups }: GroupsFile, index: ToolTable): Tool[] {
  const seen = new Set<string>();
  return groups.flatMap((group) => {
    return toolsOfGroup(group, index).flatMap((tool) => {
      if (seen.has(tool.name)) return [];
      seen.add(tool.name);
      const tags = [...new Set([...tool.owner.tags, group.id])];
      return [{ ...tool, owner: { ...tool.owner, category: group.name, tags } }];
    });
  });
}
