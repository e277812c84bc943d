/** START HERE for `climax lock`: records the programs behind tools, for later comparison. */

import { sha256 } from "../text/hash.ts";
import type { ProgramUse } from "../sources/command/program.ts";
import { keptScriptOf } from "../sources/scripts/script_tools.ts";
import type { Tool } from "../tool/tool.ts";
import {
  mentions,
  type ProgramInfo,
  ProgramInspector,
  runConcurrently,
  usedIn,
} from "./_program_inspector.ts";
import { type Lock, type LockedTool } from "./lock_file.ts";

/** A lock, and the subjects it lacks. */
interface Locked {
  readonly lock: Lock;
  /** Programs that are not on PATH. */
  readonly missing: readonly string[];
  /** Tools without a help of their own, whose options are not compared. */
  readonly unwatched: readonly string[];
}

/** Settings of {@linkcode lockTools}. */
interface LockOptions {
  /** Called with each command line before it is run. */
  readonly onRun?: (argv: readonly string[]) => void;
}

/** Inspects the programs of `tools`. */
export async function lockTools(
  tools: readonly Tool[],
  { onRun }: LockOptions = {},
): Promise<Locked> {
  await using inspector = new ProgramInspector(onRun);
  const lock: Lock = { version: 1, programs: {}, tools: {} };
  const missing = new Set<string>();
  const unwatched: string[] = [];
  const used = usedIn(tools);
  await runConcurrently(
    used,
    async ({ use }) => await (await inspector.inspect(use))?.helpOf(use.words),
  );
  for (const { tool, use } of used) {
    const info = await inspector.inspect(use);
    if (info === undefined) {
      missing.add(use.name);
      continue;
    }
    const { path, name, version } = info;
    lock.programs[path] ??= {
      name,
      sha256: await info.sha256(),
      version,
      help: await helpHash(info, [name]),
    };
    const locked = await lockTool(use, info);
    lock.tools[tool.name] = locked;
    if (locked.help === null) unwatched.push(tool.name);
  }
  const scripts = tools.flatMap((tool) => {
    const kept = keptScriptOf(tool);
    return kept === undefined ? [] : [[tool.name, kept.sha256] as const];
  });
  const locked = scripts.length === 0 ? lock : { ...lock, scripts: Object.fromEntries(scripts) };
  return { lock: locked, missing: [...missing], unwatched };
}

async function lockTool({ words, flags }: ProgramUse, info: ProgramInfo): Promise<LockedTool> {
  const help = await info.helpOf(words);
  const above = words.length > 1 ? await info.helpOf(words.slice(0, -1)) : undefined;
  return {
    program: info.path,
    command: [...words],
    help: help === undefined ? null : sha256(help),
    own_help: help !== undefined && help !== above,
    flags: help === undefined ? [] : flags.filter((flag) => mentions(help, flag)),
  };
}

async function helpHash(info: ProgramInfo, words: readonly string[]): Promise<string | null> {
  const help = await info.helpOf(words);
  return help === undefined ? null : sha256(help);
}
