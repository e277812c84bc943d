/** Says which files that decide something are open to other users. */

import { dirname } from "node:path";
import { formatProblem, type Problem } from "../errors.ts";
import { systemPath } from "../io.ts";
import { log } from "../log.ts";
import { shellWord } from "../text/shell_word.ts";

/** The bits of a mode that others must not have. The group may read: Kubernetes gives secrets to that of a container. */
const forbidden = { "read or change": 0o027, change: 0o022, "all change": 0o002 } as const;

/** The problem with a file that other users may `read or change`, or `change`, or that `all` may change. */
export function exposureTo(path: string, what: keyof typeof forbidden): Problem | undefined {
  const { mode } = Deno.statSync(systemPath(path));
  if (Deno.build.os === "windows" || ((mode ?? 0) & forbidden[what]) === 0) return undefined;
  const message = `Other users can ${what.replace("all ", "")} this file`;
  const bits = what === "all change" ? "o-w" : "600";
  return { file: path, message, hint: `Run: chmod ${bits} ${shellWord(path)}` };
}

/** Folders of which one file was named. */
const named = new Set<string>();

/** Warns of a file that all users may change, once for a folder: some file systems have no modes. */
export function warnIfExposed(path: string): void {
  const problem = path.startsWith("/dev/") ? undefined : exposureTo(path, "all change");
  const folder = dirname(path);
  if (problem === undefined || named.has(folder)) return;
  named.add(folder);
  log("warning", formatProblem(problem));
}
