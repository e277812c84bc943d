/** START HERE for `climax lock`: what the programs behind tools are now, to be compared with later. */

import { sha256 } from "../text/hash.ts";
import type { ProgramUse } from "../sources/command/program.ts";
import type { Tool } from "../tool/tool.ts";
import { inTurns } from "./_concurrently.ts";
import { type Lock, type LockedTool } from "./lock_file.ts";
import { type Look, mentions, ProgramInspector, usedIn } from "./_program_inspector.ts";

/** A lock, and what could not be looked at. */
export interface Locked {
  readonly lock: Lock;
  /** Programs that are not on PATH. */
  readonly missing: readonly string[];
  /** Tools without a help of their own, whose options are not watched. */
  readonly unwatched: readonly string[];
}

/** Settings of {@linkcode lockTools}. */
export interface LockOptions {
  /** Called with each command line before it is run. */
  readonly onRun?: (argv: readonly string[]) => void;
}

/** Looks at the programs of `tools`. */
export async function lockTools(
  tools: readonly Tool[],
  { onRun }: LockOptions = {},
): Promise<Locked> {
  await using looks = new ProgramInspector(onRun);
  const lock: Lock = { version: 1, programs: {}, tools: {} };
  const missing = new Set<string>();
  const unwatched: string[] = [];
  const used = usedIn(tools);
  await inTurns(used, async ({ use }) => await (await looks.inspect(use))?.helpOf(use.words));
  for (const { tool, use } of used) {
    const look = await looks.inspect(use);
    if (look === undefined) {
      missing.add(use.name);
      continue;
    }
    const { path, name, sha256, version } = look;
    lock.programs[path] ??= { name, sha256, version, help: await helpHash(look, [name]) };
    const locked = await lockTool(use, look);
    lock.tools[tool.name] = locked;
    if (locked.help === null) unwatched.push(tool.name);
  }
  return { lock, missing: [...missing], unwatched };
}

async function lockTool({ words, flags }: ProgramUse, look: Look): Promise<LockedTool> {
  const help = await look.helpOf(words);
  const above = words.length > 1 ? await look.helpOf(words.slice(0, -1)) : undefined;
  return {
    program: look.path,
    command: [...words],
    help: help === undefined ? null : sha256(help),
    own_help: help !== undefined && help !== above,
    flags: help === undefined ? [] : flags.filter((flag) => mentions(help, flag)),
  };
}

async function helpHash(look: Look, words: readonly string[]): Promise<string | null> {
  const help = await look.helpOf(words);
  return help === undefined ? null : sha256(help);
}
