/** Builds the command line by which a client starts climax, and checks it. */

import { dirname, resolve } from "node:path";
import { systemPath } from "../io.ts";
import type { McpClientProgram, ServerCommand } from "../setup/clients.ts";
import type { ResultFormat } from "../catalog/compact.ts";
import { ClimaxError, ExitCode } from "../errors.ts";
import { isPolicyName } from "../policy/locate.ts";
import { servingCommand } from "../process/own_command.ts";
import { isConfigPath } from "../sources/command/locate.ts";

/** Options of a server in addition to its configs. */
interface ServerFlags {
  readonly classic?: true | undefined;
  readonly results?: ResultFormat | undefined;
  readonly maxResultTokens?: number | undefined;
  readonly mcp?: readonly string[] | undefined;
  readonly policy?: string | undefined;
  readonly sandbox?: true | undefined;
  readonly audit?: string | undefined;
}

/** Builds the command line with absolute paths: the client's working directory is unknown. */
export function servedCommand(
  client: McpClientProgram,
  configs: readonly string[],
  { classic, mcp = [], policy, sandbox, audit, ...flags }: ServerFlags,
): ServerCommand {
  const { results = client.serverDefaults?.results } = flags;
  const { maxResultTokens = client.serverDefaults?.maxResultTokens } = flags;
  return [
    ...servingCommand(),
    ...configs.map((config) => isConfigPath(config) ? resolve(systemPath(config)) : config),
    ...(classic ? ["--classic"] : []),
    ...(results === undefined ? [] : ["--results", results]),
    ...(maxResultTokens === undefined ? [] : ["--max-result-tokens", `${maxResultTokens}`]),
    ...mcp.flatMap((file) => ["--mcp", resolve(systemPath(file))]),
    ...policyWords(policy),
    ...(sandbox ? ["--sandbox"] : []),
    ...(audit === undefined ? [] : ["--audit", resolve(systemPath(audit))]),
  ];
}

/** Builds the command line of `climax mcp` for the project whose config is `file`. */
export function agentsCommand(
  client: McpClientProgram,
  file: string,
  { results, policy, sandbox, audit, maxResultTokens = client.serverDefaults?.maxResultTokens }:
    ServerFlags,
): ServerCommand {
  const [program, ...words] = servingCommand();
  return [
    program,
    ...words,
    "mcp",
    resolve(systemPath(file)),
    ...(results === undefined ? [] : ["--results", results]),
    ...(maxResultTokens === undefined ? [] : ["--max-result-tokens", `${maxResultTokens}`]),
    ...policyWords(policy),
    ...(sandbox ? ["--sandbox"] : []),
    ...(audit === undefined ? [] : ["--audit", resolve(systemPath(audit))]),
  ];
}

function policyWords(policy: string | undefined): string[] {
  if (policy === undefined) return [];
  return ["--policy", isPolicyName(policy) ? policy : resolve(systemPath(policy))];
}

/** Checks that the command would start, without starting MCP servers. */
export async function checkStart(
  configs: readonly string[],
  { mcp = [], policy, audit }: ServerFlags,
): Promise<void> {
  const { loadTools } = await import("../session/load.ts");
  const { readUpstreamConfig } = await import("../sources/upstream/config.ts");
  const { readPolicy } = await import("../policy/load.ts");
  // A policy's rules may name tools of servers, so they are checked only when there are none
  const isWhole = mcp.length === 0;
  const { problems, close } = await loadTools({ configs, ...(isWhole && { policy }) });
  await close();
  const read = await Promise.all([
    ...mcp.map((file) => readUpstreamConfig(file)),
    ...(policy === undefined || isWhole ? [] : [readPolicy(policy)]),
  ]);
  const all = [...problems, ...read.flatMap((each) => each.ok ? [] : each.problems)];
  const folder = audit === undefined ? undefined : dirname(resolve(systemPath(audit)));
  if (
    folder !== undefined &&
    !await Deno.stat(folder).then((it) => it.isDirectory, () => false)
  ) {
    all.push({
      file: audit!,
      message: `Its folder does not exist: '${folder}'`,
      hint: "Create it",
    });
  }
  if (all.length > 0) throw new ClimaxError("Nothing was written", ExitCode.file, all);
}
