/** The sandbox of a call: that of the policy, with what the config of the tool asks for where the policy is silent. */

import { dirname, isAbsolute, join, resolve } from "node:path";
import { systemPath } from "../../io.ts";
import { type Executor, sandboxOf } from "../../exec/executor.ts";
import type { Sandbox } from "../../exec/sandbox_view.ts";
import { ownFolder } from "../../process/folders.ts";
import type { SandboxRecord } from "../../tool/sandbox_record.ts";
import type { Tool } from "../../tool/tool.ts";
import { shownSandbox } from "./_run_record.ts";
import { type SandboxRequest, sourceOf } from "./source.ts";

/** The sandbox in which `tool` runs in the directory `cwd`; nothing without one. */
export function sandboxOfCall(
  executor: Executor,
  tool: Tool,
  cwd: string | undefined,
): Sandbox | undefined {
  const sandbox = sandboxOf(executor, tool.name);
  const { sandboxRequest } = sourceOf(tool);
  if (sandbox === undefined || sandboxRequest === undefined) return sandbox;
  return withRequest(sandbox, sandboxRequest, resolve(ownFolder(), cwd ?? ""));
}

/** What the sandbox of `tool` leaves open. */
export function sandboxRecordOf(executor: Executor, tool: Tool): SandboxRecord | undefined {
  const sandbox = sandboxOfCall(executor, tool, sourceOf(tool).workingDir);
  return sandbox && shownSandbox(sandbox);
}

function withRequest(sandbox: Sandbox, request: SandboxRequest, cwd: string): Sandbox {
  const isSilent = (key: keyof SandboxRequest) => sandbox.silent?.includes(key) ?? false;
  const { write = [], read = [], env = [], network } = request;
  const find = (paths: readonly string[]) => paths.flatMap((path) => placeOf(path, cwd, sandbox));
  const creates = write.filter((path) => !isAbsolute(path)).map((path) => join(cwd, path));
  return {
    ...sandbox,
    ...(isSilent("write") ? { write: [...sandbox.write, ...find(write)], creates } : {}),
    ...(isSilent("read") ? { read: [...sandbox.read, ...find(read)] } : {}),
    ...(isSilent("env") && env.length > 0 ? { env } : {}),
    ...(isSilent("network") && network !== undefined ? { network } : {}),
  };
}

/**
 * The path that a config asks for, if it is there. A relative one is that in the directory of the call, or the nearest
 * above; a link there is not followed, since a program may have made it.
 */
function placeOf(path: string, cwd: string, { write }: Sandbox): readonly string[] {
  try {
    if (isAbsolute(path)) return [Deno.realPathSync(systemPath(path))];
    const start = Deno.realPathSync(systemPath(cwd));
    const isInside = (folder: string) => {
      return write.some((top) => folder === top || folder.startsWith(`${top}/`));
    };
    for (let folder = start; isInside(folder); folder = dirname(folder)) {
      const found = join(folder, path);
      const real = realPathOf(found);
      if (real !== undefined) return real === found ? [real] : [];
      if (folder === dirname(folder)) break;
    }
    return [];
  } catch {
    // It is not there
    return [];
  }
}

function realPathOf(path: string): string | undefined {
  try {
    return Deno.realPathSync(systemPath(path));
  } catch {
    return undefined;
  }
}
