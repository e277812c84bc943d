/** Looks for the programs of configs, their versions and options, for `climax doctor`. */

import { shortPath } from "../process/folders.ts";
import { isBundled } from "../sources/command/sets.ts";
import { plural } from "../text/plural.ts";
import type { Tool } from "../tool/tool.ts";
import { runConcurrently } from "./_concurrency.ts";
import { mentions, type ProgramInspector, type Used, usedIn } from "./_program_inspector.ts";
import type { Reporter } from "./doctor_row.ts";

/** One use of each program. */
export function uniquePrograms(used: readonly Used[]): Used[] {
  return [...new Map(used.map((each) => [each.use.name, each])).values()];
}

/** A config to examine. */
export interface NamedConfig {
  readonly config: string;
  /** True when the command line does not name it. */
  readonly isOther: boolean;
}

/** The shared parts of examining configs. */
export interface Examination {
  readonly inspector: ProgramInspector;
  readonly tell: Reporter;
  /** Names of the programs that have a finding. */
  readonly told: Set<string>;
}

/** Reports on the programs of `tools`, each once. */
export async function examinePrograms(
  { config, isOther }: NamedConfig,
  tools: readonly Tool[],
  { inspector, tell, told }: Examination,
): Promise<void> {
  const byName = Map.groupBy(usedIn(tools), ({ use }) => use.name);
  for (const [name, used] of byName) {
    const info = await inspector.inspect(used[0]!.use);
    const about = { about: "program", subject: name } as const;
    const isTold = told.has(name);
    told.add(name);
    if (info === undefined) {
      if (isTold) continue;
      const message = `Not on PATH; ${plural(used.length, "tool")} cannot run`;
      const remedy = "Install it, or leave its config out";
      await tell(
        isOther
          ? { ...about, state: "note", message }
          : { ...about, state: "problem", message, remedy },
      );
      continue;
    }
    if (!isTold) {
      const message = `${shortPath(info.path)}, ${info.version ?? "version unknown"}`;
      await tell({ ...about, state: "ok", message });
      await examinePermission(name, tell);
    }
    // Bundled configs are for several versions of their programs
    if (isOther || isBundled(config)) continue;
    const unknown = new Map<string, string[]>();
    await runConcurrently(used, async ({ tool, use }) => {
      const help = await info.helpOf(use.words);
      // A help text that lacks many flags is a short form, and does not tell about any
      const missing = use.flags.filter((flag) => help !== undefined && !mentions(help, flag));
      const isTelling = missing.length * 4 <= use.flags.length;
      if (missing.length > 0 && isTelling) unknown.set(tool.name, missing);
    });
    for (const [tool, flags] of unknown) {
      const message = `Its help does not name ${flags.join(", ")}, which ${tool} uses`;
      const remedy = `Try it: climax call ${tool} --dry-run shows the command line`;
      await tell({ ...about, state: "warning", message, remedy });
    }
  }
}

async function examinePermission(program: string, tell: Reporter): Promise<void> {
  const { state } = await Deno.permissions.query({ name: "run", command: program });
  if (state === "granted") return;
  const remedy = `Start climax with --allow-run=${program}`;
  const message = "This process may not run it";
  await tell({ about: "permission", subject: program, state: "problem", message, remedy });
}
