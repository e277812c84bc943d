/** The file that `climax lock` writes: programs as they were when they were accepted. */

import * as z from "zod";
import { readDocument } from "../files/document.ts";
import { readTextFile } from "../files/text_file.ts";
import { ClimaxError, ExitCode } from "../errors.ts";
import { ownProperty } from "../text/own_property.ts";

const hash = z.string().regex(/^[0-9a-f]{64}$/, "expected a SHA-256 in hexadecimal");

const programSchema = z.strictObject({
  /** The name in the config. */
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
export function lockedTool({ tools }: Lock, name: string): LockedTool | undefined {
  return ownProperty(tools, name);
}

/**
 * Reads a lock file.
 *
 * @throws {ClimaxError} when it cannot be read, or is not a lock file
 */
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
  const kept = scripts === undefined ? {} : { scripts: sorted(scripts) };
  const lock = { version, programs: sorted(programs), tools: sorted(tools), ...kept };
  return `${JSON.stringify(lock, null, 2)}\n`;
}

function sorted<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => a < b ? -1 : 1));
}
