/** START HERE for `climax lock`: records the programs behind tools as they are when a person accepts them. */

import * as z from "zod";
import { ClimaxError, ExitCode } from "../errors.ts";
import { readDocument } from "../files/document.ts";
import { readTextFile } from "../files/text_file.ts";
import type { ProgramUse } from "../sources/command/program.ts";
import { scriptOf } from "../sources/scripts/script_tools.ts";
import { sha256 } from "../text/hash.ts";
import { ownProperty } from "../text/own_property.ts";
import type { Tool } from "../tool/tool.ts";
import {
  findUsed,
  mentions,
  type ProgramInfo,
  ProgramInspector,
  runConcurrently,
} from "./_program_inspector.ts";

interface Locked {
  readonly lock: Lock;
  /** Programs that are not on PATH. */
  readonly missing: readonly string[];
  /** Tools without a help of their own, whose options are not compared. */
  readonly unwatched: readonly string[];
}

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
  const used = findUsed(tools);
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
    const kept = scriptOf(tool);
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

const hash = z.string().regex(/^[0-9a-f]{64}$/, "expected a SHA-256 in hexadecimal");

const programSchema = z.strictObject({
  name: z.string(),
  sha256: hash,
  /** First line of the output of `--version`; null without output. */
  version: z.string().nullable(),
  /** Hash of its help; null when it has none. */
  help: hash.nullable(),
});

const toolSchema = z.strictObject({
  /** Path of its program. */
  program: z.string(),
  /** The command whose help was asked for, program first. */
  command: z.array(z.string()).min(1),
  /** Hash of its help; null when it has none. */
  help: hash.nullable(),
  /** False when its help is that of the parent command. */
  own_help: z.boolean(),
  /** Its options that the help lists. */
  flags: z.array(z.string()),
});

const lockSchema = z.strictObject({
  version: z.literal(1),
  /** By absolute path. */
  programs: z.record(z.string(), programSchema),
  /** By name. */
  tools: z.record(z.string(), toolSchema),
  /** Hashes of kept scripts by name; absent: none. */
  scripts: z.record(z.string(), hash).optional(),
});

/** A tool in a lock. */
export type LockedTool = z.infer<typeof toolSchema>;

/** The whole file. */
export type Lock = z.infer<typeof lockSchema>;

/** The entry of a tool in a lock. */
export function findLockedTool({ tools }: Lock, name: string): LockedTool | undefined {
  return ownProperty(tools, name);
}

/** Reads a lock file. @throws {ClimaxError} when it cannot be read, or is not a lock file */
export async function readLock(path: string): Promise<Lock> {
  const file = await readTextFile(path);
  if (!file.ok) {
    const hint = "climax lock CONFIG… writes one";
    throw new ClimaxError("There is no lock", ExitCode.file, [{ hint, ...file.problem }]);
  }
  const read = await readDocument(path, file.text, lockSchema);
  if (read.ok) return read.value;
  throw new ClimaxError("The lock file is wrong", ExitCode.file, read.problems);
}

/** Formats a lock file with keys in alphabetical order, for a clear diff. */
export function formatLock({ version, programs, tools, scripts }: Lock): string {
  const kept = scripts === undefined ? {} : { scripts: sortKeys(scripts) };
  const lock = { version, programs: sortKeys(programs), tools: sortKeys(tools), ...kept };
  return `${JSON.stringify(lock, null, 2)}\n`;
}

function sortKeys<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => a < b ? -1 : 1));
}
