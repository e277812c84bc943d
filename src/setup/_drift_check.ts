/** Compares a config's programs with the lock in the current folder, for `climax doctor`. */

import { join } from "node:path";
import { systemPath } from "../io.ts";
import { ClimaxError, formatProblem } from "../errors.ts";
import { plural } from "../text/plural.ts";
import type { Tool } from "../tool/tool.ts";
import { describeChange, driftOf } from "./drift.ts";
import type { Reporter } from "./doctor_row.ts";
import { lockedTool, readLock } from "./lock_file.ts";
import { defaultLockName } from "./lock_name.ts";

/** Compares `tools` with the lock of `folder`, when it has one that lists them. */
export async function examineDrift(
  tools: readonly Tool[],
  folder: string,
  tell: Reporter,
): Promise<void> {
  const file = join(folder, defaultLockName);
  const about = { about: "file", subject: defaultLockName } as const;
  if (!await Deno.stat(systemPath(file)).then(() => true, () => false)) return;
  try {
    const lock = await readLock(file);
    const locked = tools.filter(({ name }) => lockedTool(lock, name) !== undefined);
    if (locked.length === 0) return;
    const changes = await driftOf(locked, lock, { thorough: true });
    for (const change of changes) {
      const state = change.isBreaking ? "problem" : "warning";
      const remedy = "Check it, then accept it with climax lock";
      await tell({ ...about, state, message: describeChange(change), remedy });
    }
    if (changes.length > 0) return;
    const message = `The programs of ${plural(locked.length, "tool")} are as they were`;
    await tell({ ...about, state: "ok", message });
  } catch (error) {
    if (!(error instanceof ClimaxError)) throw error;
    const message = error.problems.map(formatProblem).join("\n");
    await tell({ ...about, state: "problem", message, remedy: "climax lock writes a new one" });
  }
}
