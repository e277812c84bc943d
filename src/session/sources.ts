/** The sources of a session: one line for each kind of tool. */

import { type CallSettings, defaultCallSettings } from "../call/context.ts";
import type { Jobs } from "../jobs/jobs.ts";
import type { OutputStore } from "../jobs/outputs.ts";
import type { NamedText } from "../text/named_text.ts";
import type { ToolFilter } from "./tool_filter.ts";
import type { Environment } from "../files/expand.ts";
import { BuiltinToolSource } from "../sources/builtin/builtin_source.ts";
import { CommandToolSource } from "../sources/command/command_source.ts";
import type { ToolSource } from "../sources/source.ts";
import type { UpstreamToolSource } from "../sources/upstream/upstream_source.ts";

/** What to load. */
export interface SourceOptions {
  /** Bundled names, paths and texts at hand, in the order they are merged. */
  readonly configs: readonly (string | NamedText)[];
  /** Configs of MCP servers, whose tools join those of `configs`. */
  readonly mcp?: readonly (string | NamedText)[] | undefined;
  /** Milliseconds to wait for servers that nothing is known of. @default as long as they may take */
  readonly patienceMs?: number | undefined;
  /** Whether MCP servers are asked for their tools, whatever is known of them. @default false */
  readonly askServers?: boolean | undefined;
  /** Path or text of a policy; absent: every tool may be called with any arguments. */
  readonly policy?: string | NamedText | undefined;
  /** Whether a tool that the policy names and no config has is an error. @default false */
  readonly strict?: boolean | undefined;
  /** Whether warnings have advice on configs too. @default false */
  readonly thorough?: boolean | undefined;
  /** Leaves less than the policy does, before anything else sees the tools. */
  readonly narrow?: ToolFilter | undefined;
  readonly calls?: Partial<CallSettings> | undefined;
  /** Where outputs are kept that are too long for a result; absent: they are not. Its maker closes it. */
  readonly outputs?: OutputStore | undefined;
  /** Where calls go on behind their answers; absent: all of them are waited for. */
  readonly jobs?: Jobs | undefined;
}

/** The sources of a session. */
export interface Sources {
  /** In the order in which names are taken. */
  readonly all: readonly ToolSource[];
  readonly commands: CommandToolSource;
  /** Absent where no MCP server is named. */
  readonly upstream: UpstreamToolSource | undefined;
  readonly builtin: BuiltinToolSource;
}

/** Opens the sources that `options` name. */
export async function openSources(
  options: SourceOptions,
  environment: Environment,
): Promise<Sources> {
  const { calls, thorough, jobs } = options;
  const { maxResultTokens } = { ...defaultCallSettings, ...calls };
  const builtin = new BuiltinToolSource({ jobs, maxResultTokens });
  const spool = (owner?: string) => builtin.outputs?.spool(owner);
  const commands = new CommandToolSource(options.configs, environment, {
    ...calls,
    thorough,
    spool,
  });
  const upstream = await openServers(options, environment);
  const servers = upstream === undefined ? [] : [upstream];
  return { all: [commands, ...servers, builtin], commands, upstream, builtin };
}

/** The MCP servers, whose code a start without any does not load. */
async function openServers(
  { mcp = [], patienceMs, askServers: ask, calls }: SourceOptions,
  environment: Environment,
): Promise<UpstreamToolSource | undefined> {
  if (mcp.length === 0) return undefined;
  const { openUpstream } = await import("../sources/upstream/upstream_source.ts");
  const { keepBytes, keepAnsi } = calls ?? {};
  return await openUpstream(mcp, environment, { patienceMs, ask, keepBytes, keepAnsi });
}
