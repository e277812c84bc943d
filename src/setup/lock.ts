/** START HERE for `climax lock`: records the programs behind tools as they are when a person accepts them. */

import * as z from "zod";
import { FileError } from "../errors.ts";
import { readDocument } from "../files/document.ts";
import { readTextFile } from "../files/text_file.ts";
import { scriptOf } from "../sources/scripts/script_tools.ts";
import type { Tool } from "../tool/tool.ts";
import { findUsed, ProgramInspector, runConcurrently } from "./_program_inspector.ts";

/** Inspects the programs of `tools`. `onRun` gets each command line before it is run. */
export async function lockTools(tools: readonly Tool[], onRun?: (argv: readonly string[]) => void) {
  await using inspector = new ProgramInspector(onRun);
  const lock: Lock = { version: 1, programs: {}, tools: {} };
  const missing = new Set<string>();
  const used = findUsed(tools);
  await runConcurrently(used, ({ use }) => inspector.inspect(use));
  for (const { tool, use } of used) {
    const info = await inspector.inspect(use);
    if (info === undefined) {
      missing.add(use.name);
      continue;
    }
    const { path, name, version } = info;
    lock.programs[path] ??= { name, sha256: await info.sha256(), version };
    lock.tools[tool.name] = { program: path, command: [...use.words] };
  }
  const scripts = tools.flatMap((tool) => {
    const kept = scriptOf(tool);
    return kept === undefined ? [] : [[tool.name, kept.sha256] as const];
  });
  const locked = scripts.length === 0 ? lock : { ...lock, scripts: Object.fromEntries(scripts) };
  return { lock: locked, missing: [...missing] };
}

const hash = z.string().regex(/^[0-9a-f]{64}$/, "expected a SHA-256 in hexadecimal");

// Not strict: locks of earlier versions also have what the help said
const programSchema = z.object({
  name: z.string(),
  sha256: hash,
  /** First line of the output of `--version`; null without output. */
  version: z.string().nullable(),
});

const toolSchema = z.object({ program: z.string(), command: z.array(z.string()).min(1) });

const lockSchema = z.strictObject({
  version: z.literal(1),
  programs: z.record(z.string(), programSchema),
  tools: z.record(z.string(), toolSchema),
  /** Hashes of kept scripts by name; absent: none. */
  scripts: z.record(z.string(), hash).optional(),
});
export type Lock = z.infer<typeof lockSchema>;

/** Reads a lock file. @throws {ClimaxError} when it cannot be read, or is not a lock file */
export async function readLock(path: string): Promise<Lock> {
  const file = await readTextFile(path);
  if (!file.ok) {
    const hint = "climax lock CONFIG… writes one";
    throw new FileError("There is no lock", { hint, ...file.problem });
  }
  const read = await readDocument(path, file.text, lockSchema);
  if (read.ok) return read.value;
  throw new FileError("The lock file is wrong", ...read.problems);
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
