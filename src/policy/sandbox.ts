/** Resolves the paths of a policy's sandboxes at the start, so that a link made later does not move a sandbox. */

import { isAbsolute, join, normalize, relative } from "node:path";
import { systemPath } from "../io.ts";
import { messageOf } from "../errors.ts";
import { holdInPlace } from "../process/protected_paths.ts";
import type { Sandbox } from "../exec/sandbox_view.ts";
import { leaveOut } from "../exec/search_path.ts";
import { expandFor } from "../files/expand.ts";
import type { Path } from "../files/finding.ts";
import { withoutUndefined } from "../text/own_property.ts";
import { ownFolder } from "../process/folders.ts";
import { commandKind, type Tool } from "../tool/tool.ts";
import type { Rule, RuleReading } from "./_rule.ts";
import type { ExecutorFile, SandboxFile } from "./schema.ts";

export type SandboxReading = Pick<RuleReading, "environment" | "problems">;

export async function sandboxOfRule(
  { key, written: { sandbox: written }, reading }: Rule,
  tools: readonly Tool[],
): Promise<Sandbox | undefined> {
  if (written === undefined) return undefined;
  const path = ["tools", key, "sandbox"];
  const { policy, executor, problems } = reading;
  if (executor.kind !== "local") {
    const message = `'sandbox' has no meaning for 'type: ${executor.kind}'`;
    problems.push({ path, message, hint: "It holds programs of this machine" });
    return undefined;
  }
  const other = tools.find(({ source }) => source.kind !== commandKind);
  if (other !== undefined) {
    const message = `'sandbox': tool '${other.name}' is not of a program that a call starts`;
    problems.push({ path, message, hint: "Name the tools of programs" });
  }
  const above = policy.executor?.type === "sandbox" ? sandboxKeys(policy.executor) : {};
  return await resolveSandbox(written, path, reading, above);
}

export function sandboxKeys({ write, read, hide, env, network }: ExecutorFile): SandboxFile {
  const known: SandboxFile["network"] = network === "none" || network === "host"
    ? network
    : undefined;
  return withoutUndefined({ write, read, hide, env, network: known });
}

export async function resolveSandbox(
  written: SandboxFile,
  path: Path,
  reading: SandboxReading,
  above: SandboxFile = {},
): Promise<Sandbox> {
  const all = { ...above, ...written };
  const resolveAll = async (key: "write" | "read" | "hide", preset: readonly string[]) => {
    const resolved = await Promise.all(
      (all[key] ?? preset).map((text, index) => {
        return resolvePath(text, key, [...path, key, index], reading);
      }),
    );
    return resolved.filter((each) => each !== undefined);
  };
  const sandbox = {
    unsetKeys: (["write", "read", "env", "network"] as const).filter((key) => !all[key]),
    network: all.network ?? "none",
    ...(all.env && { env: all.env }),
    write: await resolveAll("write", ["."]),
    read: await resolveAll("read", ["/"]),
    hide: await resolveAll("hide", []),
  };
  const both = sandbox.hide.find((each) => [...sandbox.write, ...sandbox.read].includes(each));
  if (both !== undefined) {
    const message = `'hide': '${both}' is in 'write' or 'read' too`;
    reading.problems.push({ path: [...path, "hide"], message });
  }
  holdInPlace(sandbox);
  leaveOut(sandbox.write);
  return sandbox;
}

async function resolvePath(
  text: string,
  key: "write" | "read" | "hide",
  path: Path,
  { environment, problems }: SandboxReading,
): Promise<string | undefined> {
  const refuse = (reason: string, hint?: string): undefined => {
    problems.push({ path, message: `'${key}': ${reason}`, ...(hint && { hint }) });
  };
  const before = problems.length;
  const expanded = expandFor(text, path, environment, problems);
  if (problems.length > before) return undefined;
  // The root folder contains every folder, so no link can lead out of it
  if (expanded === "/") return expanded;
  const asked = normalize(isAbsolute(expanded) ? expanded : join(ownFolder(), expanded))
    .replace(/(?<=.)\/$/, "");
  try {
    const real = await Deno.realPath(systemPath(asked));
    if (key !== "hide" && await isLinkOfProject(asked, real)) {
      return refuse(`'${text}' is a link, which leads to '${real}'`, "Name what it leads to");
    }
    return real;
  } catch (error) {
    if (key === "hide" && error instanceof Deno.errors.NotFound) return asked;
    if (!(error instanceof Deno.errors.NotFound)) {
      return refuse(`'${text}' cannot be read: ${messageOf(error)}`);
    }
    return refuse(`'${text}' is not there`, "Create it, or take it off the list");
  }
}

/** Returns whether `asked` leads through a link in the served directory: a program may have made the link. */
async function isLinkOfProject(asked: string, real: string): Promise<boolean> {
  const own = ownFolder();
  const below = relative(own, asked);
  if (below === ".." || below.startsWith("../") || isAbsolute(below)) return false;
  return join(await Deno.realPath(systemPath(own)), below) !== real;
}
