/** START HERE for `climax lock`: what the programs behind tools are now, to be compared with later. */

import type { Tool } from "../tool/tool.ts";
import { inTurns } from "./_in_turns.ts";
import { type Lock, type LockedTool } from "./lock_file.ts";
import { flagsOf, hashOf, isCommandTool, type Look, Looks, mentions, wordsOf } from "./_look.ts";

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
  await using looks = new Looks(onRun);
  const lock: Lock = { version: 1, programs: {}, tools: {} };
  const missing = new Set<string>();
  const unwatched: string[] = [];
  await inTurns(tools.filter(isCommandTool), async (tool) => {
    await (await looks.at(tool))?.helpOf(wordsOf(tool));
  });
  for (const tool of tools.filter(isCommandTool)) {
    const look = await looks.at(tool);
    if (look === undefined) {
      missing.add(wordsOf(tool)[0]);
      continue;
    }
    const { path, name, sha256, version } = look;
    lock.programs[path] ??= { name, sha256, version, help: await helpHash(look, [name]) };
    const locked = await lockTool(tool, look);
    lock.tools[tool.name] = locked;
    if (locked.help === null) unwatched.push(tool.name);
  }
  return { lock, missing: [...missing], unwatched };
}

async function lockTool(tool: Tool, look: Look): Promise<LockedTool> {
  const words = wordsOf(tool);
  const help = await look.helpOf(words);
  const above = words.length > 1 ? await look.helpOf(words.slice(0, -1)) : undefined;
  return {
    program: look.path,
    command: [...words],
    help: help === undefined ? null : hashOf(help),
    own_help: help !== undefined && help !== above,
    flags: help === undefined ? [] : flagsOf(tool).filter((flag) => mentions(help, flag)),
  };
}

async function helpHash(look: Look, words: readonly string[]): Promise<string | null> {
  const help = await look.helpOf(words);
  return help === undefined ? null : hashOf(help);
}
