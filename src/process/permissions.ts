/** Drops unneeded Deno permissions of this process, names remedies for missing ones, and checks modes of files. */

import { dirname, resolve } from "node:path";
import { formatProblem, type Problem } from "../errors.ts";
import { log } from "../log.ts";
import { shellWord } from "../text/shell_word.ts";
import { io, systemPath } from "../io.ts";

/** Revokes FFI and sys, and the network and writing unless `needed`. Open files stay open. */
export function dropPermissions(
  needed: { readonly net?: boolean | undefined; readonly write?: boolean | undefined } = {},
): void {
  const unneeded: Deno.PermissionName[] = ["ffi", "sys"];
  for (const name of ["net", "write"] as const) if (!needed[name]) unneeded.push(name);
  for (const name of unneeded) io().permissions.revokeSync({ name });
  const imports = { name: "import" } as unknown as Deno.PermissionDescriptor;
  try {
    io().permissions.revokeSync(imports);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

export function mayRead(path: string): boolean {
  return Deno.permissions.querySync({ name: "read", path }).state === "granted";
}

/** Returns the remedy for a file that Deno does not open. */
export function allowHint(path: string, ...flags: readonly string[]): string {
  // In `/dev`, `/proc` and `/sys`, Deno opens only a few devices unless it has every permission, so no flag would help
  if (Deno.build.os === "linux" && /^\/(?:dev|proc|sys)(?:\/|$)/.test(resolve(systemPath(path)))) {
    return "Files in /dev, /proc and /sys are not opened: name another file";
  }
  return `Allow it: ${flags.map((flag) => `${flag}=${path}`).join(" ")}`;
}

/** Bits of a file's mode that give others rights. Its group may read: Kubernetes gives secrets to a container's group. */
const forbidden = { "read or change": 0o027, change: 0o022, "all change": 0o002 } as const;

/** Returns a problem if the mode of the file at `path` lets other users do `what`. */
export function exposureTo(path: string, what: keyof typeof forbidden): Problem | undefined {
  const { mode } = Deno.statSync(systemPath(path));
  if (Deno.build.os === "windows" || ((mode ?? 0) & forbidden[what]) === 0) return undefined;
  const message = `Other users can ${what.replace("all ", "")} this file`;
  const bits = what === "all change" ? "o-w" : "600";
  return { file: path, message, hint: `Run: chmod ${bits} ${shellWord(path)}` };
}

const named = new Set<string>();

/** Warns of a file that all users may change, once per folder: on a file system without modes, that is every file. */
export function warnIfExposed(path: string): void {
  const problem = path.startsWith("/dev/") ? undefined : exposureTo(path, "all change");
  const folder = dirname(path);
  if (problem === undefined || named.has(folder)) return;
  named.add(folder);
  log("warning", formatProblem(problem));
}
