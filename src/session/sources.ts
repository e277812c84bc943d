/** The sources of a session: one line for each kind of tool. */

import { defaultCallSettings } from "../call/context.ts";
import type { Environment } from "../document/expand.ts";
import { BuiltinSource } from "../sources/builtin/builtin_source.ts";
import { CommandSource } from "../sources/command/command_source.ts";
import type { ToolSource } from "../sources/source.ts";
import type { UpstreamWing } from "../sources/upstream/upstream_source.ts";
import type { LoadOptions } from "./load.ts";

/** The sources of a session. */
export interface Sources {
  /** In the order in which names are taken. */
  readonly all: readonly ToolSource[];
  readonly commands: CommandSource;
  /** Absent where no MCP server is named. */
  readonly upstream: UpstreamWing | undefined;
  readonly builtin: BuiltinSource;
}

/** Opens the sources that `options` name. */
export async function openSources(
  options: LoadOptions,
  environment: Environment,
): Promise<Sources> {
  const { calls, thorough, jobs } = options;
  const { maxResultTokens } = { ...defaultCallSettings, ...calls };
  const builtin = new BuiltinSource({ jobs, maxResultTokens });
  const spool = (owner?: string) => builtin.outputs?.spool(owner);
  const commands = new CommandSource(options.configs, environment, { ...calls, thorough, spool });
  const upstream = await openServers(options, environment);
  const servers = upstream === undefined ? [] : [upstream];
  return { all: [commands, ...servers, builtin], commands, upstream, builtin };
}

/** The MCP servers, whose code a start without any does not load. */
async function openServers(
  { mcp = [], patienceMs, askServers: ask, calls }: LoadOptions,
  environment: Environment,
): Promise<UpstreamWing | undefined> {
  if (mcp.length === 0) return undefined;
  const { openUpstream } = await import("../sources/upstream/upstream_source.ts");
  return await openUpstream(mcp, environment, { patienceMs, ask, keepBytes: calls?.keepBytes });
}
