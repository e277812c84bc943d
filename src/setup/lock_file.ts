/** The file that `climax lock` writes: what programs were when somebody last looked at them. */

import * as z from "zod";
import { readDocument } from "../files/document.ts";
import { readTextFile } from "../files/text_file.ts";
import { ClimaxError, ExitCode } from "../errors.ts";
import { ownProperty } from "../text/own_property.ts";

const hash = z.string().regex(/^[0-9a-f]{64}$/, "expected a SHA-256 in hexadecimal");

const programSchema = z.strictObject({
  /** As the config calls it. */
  name: z.string(),
  sha256: hash,
  /** First line of what `--version` prints; null when it prints nothing. */
  version: z.string().nullable(),
  /** Of its help; null when it has none. */
  help: hash.nullable(),
});

const toolSchema = z.strictObject({
  /** Path of its program. */
  program: z.string(),
  /** The words its help was asked with, program first. */
  command: z.array(z.string()).min(1),
  /** Of its help; null when it has none. */
  help: hash.nullable(),
  /** Whether its help is its own, and not that of the command above. */
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
});

/** A tool as it was. */
export type LockedTool = z.infer<typeof toolSchema>;

/** All of it. */
export type Lock = z.infer<typeof lockSchema>;

/** What a lock knows of a tool. */
export function lockedTool({ tools }: Lock, name: string): LockedTool | undefined {
  return ownProperty(tools, name);
}

/**
 * Reads a lock file.
 *
 * @throws {ClimaxError} when it cannot be read, or is none
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

/** The text of a lock file, keys in alphabetical order so that two of them compare. */
export function formatLock({ version, programs, tools }: Lock): string {
  return `${
    JSON.stringify({ version, programs: sorted(programs), tools: sorted(tools) }, null, 2)
  }\n`;
}

function sorted<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => a < b ? -1 : 1));
}
