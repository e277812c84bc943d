/** Collects the Deno permissions that serving takes, for its sources and the files of the session. */

import { isAbsolute, resolve } from "node:path";
import { io, systemPath } from "../io.ts";
import { isPolicyName } from "../policy/locate.ts";
import type { Permissions, Runners } from "../tool/runner.ts";
import type { Tool } from "../tool/tool.ts";
import type { LoadedSession } from "./load.ts";
import type { SourceOptions } from "./sources.ts";
import { depthVariable } from "../process/own_command.ts";

/** `looksAt` are the paths that were read in addition to the files named. */
type Loaded = Pick<LoadedSession, "tools" | "runners" | "variables" | "looksAt" | "files">;

type SessionFiles = Pick<SourceOptions, "configs" | "mcp" | "policy"> & {
  readonly examples?: string | undefined;
};

export interface SessionPermissionOptions {
  /** Path of the audit log, which is opened at the start. The permission to write is given up after that. */
  readonly audit?: string | undefined;
}

/** All permissions, with a value for each. */
export type SessionPermissions = Required<Permissions>;

/** Collects the permissions that serving takes. @throws {ClimaxError} when a program is not found */
export async function permissionsOf(
  loaded: Loaded,
  files: SessionFiles,
  { audit }: SessionPermissionOptions = {},
): Promise<SessionPermissions> {
  const log = audit === undefined ? [] : [resolve(systemPath(audit))];
  const sources = await Promise.all(
    runnersWithTools(loaded).map(([runner, tools]) => runner.permissions(tools)),
  );
  const own: Permissions = {
    read: [...filesOf(loaded, files), ...log],
    write: log,
    env: ["CLIMAX_AUDIT_FILE", "CLIMAX_LOG_FILE", depthVariable, ...loaded.variables],
  };
  return allPermissions([own, ...sources]);
}

/** Merges permissions. */
export function allPermissions(all: readonly Permissions[]): SessionPermissions {
  return {
    run: allOr(all.map(({ run = [] }) => run)),
    read: unique(all.flatMap(({ read = [] }) => read)),
    write: unique(all.flatMap(({ write = [] }) => write)),
    env: unique(all.flatMap(({ env = [] }) => env)).toSorted(),
    net: allOr(all.map(({ net = [] }) => net)),
  };
}

/** Returns the runners that have tools or are always active, each with its tools. */
export function runnersWithTools({ tools, runners }: Pick<Loaded, "tools" | "runners">) {
  const byKind = Map.groupBy(tools, ({ source }) => source.kind);
  return [...runners].flatMap(([kind, runner]) => {
    const own = byKind.get(kind);
    if (own === undefined && runner.alwaysActive !== true) return [];
    return [[runner, own ?? []] as const];
  });
}

function allOr(lists: readonly (readonly string[] | "all")[]): readonly string[] | "all" {
  return lists.includes("all") ? "all" : unique((lists as string[][]).flat());
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}

function filesOf(
  { tools, runners, looksAt, files: configs }: Loaded,
  { mcp = [], policy, examples }: SessionFiles,
): string[] {
  const bounded = tools.filter(({ args }) => {
    return args.some(({ constraint, limits }) => {
      return constraint?.within !== undefined || limits?.within !== undefined;
    });
  });
  // Relative values start at the directories of calls
  const starts = bounded.map((tool) => startOf(tool, runners));
  const directories = bounded.flatMap(({ args }) => {
    const bounds = args.flatMap(({ constraint, limits }) => [constraint?.within, limits?.within]);
    // A relative path is inside of the directory of the call, or it is not allowed
    return bounds.filter((path) => path !== undefined && isAbsolute(path)) as string[];
  });
  // A config or policy that is given as a text needs no file
  const named = [
    ...configs,
    ...mcp,
    ...(typeof policy === "string" && !isPolicyName(policy) ? [policy] : []),
    examples,
  ];
  const files = named.filter((file) => typeof file === "string");
  return [...files, ...looksAt.map((path) => resolve(systemPath(path))), ...directories, ...starts];
}

function startOf(tool: Tool, runners: Runners): string {
  return runners.get(tool.source.kind)?.location?.(tool, new Map()).directory ?? io().cwd();
}
