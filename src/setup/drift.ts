/** Finds the changes in programs since they were locked, and the tools they concern. */

import { join } from "node:path";
import { ClimaxError, formatProblem, UsageError } from "../errors.ts";
import { systemPath } from "../io.ts";
import { scriptOf } from "../sources/scripts/script_tools.ts";
import { ownProperty } from "../text/own_property.ts";
import { listNames } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";
import { shellWord } from "../text/shell_word.ts";
import type { Tool } from "../tool/tool.ts";
import { withheld } from "../tool/withheld_tool.ts";
import { findUsed, type ProgramInfo, ProgramInspector, type Used } from "./_program_inspector.ts";
import type { Reporter } from "./doctor_row.ts";
import { type Lock, readLock } from "./lock.ts";
import { defaultLockName } from "./file_names.ts";
import type { FilteredTools, ToolFilter } from "../session/sources.ts";

/** A change, for which `--locked` refuses the tools. */
export interface DriftChange {
  readonly message: string;
  readonly tools: readonly string[];
}

/** Compares `tools` with `lock`. `onRun` gets each command line before it is run. */
export async function driftOf(
  tools: readonly Tool[],
  lock: Lock,
  onRun?: (argv: readonly string[]) => void,
): Promise<DriftChange[]> {
  await using inspector = new ProgramInspector(onRun);
  const changes: DriftChange[] = scriptChanges(tools, lock);
  const missing: Used[] = [];
  const programs = new Map<ProgramInfo, Used[]>();
  for (const used of findUsed(tools)) {
    const info = await inspector.inspect(used.use);
    if (info === undefined) missing.push(used);
    else programs.getOrInsert(info, []).push(used);
  }
  if (missing.length > 0) {
    const names = new Set(missing.map(({ use }) => `'${use.name}'`));
    changes.push(concerning(`Not on PATH any more: ${[...names].join(", ")}`, missing));
  }
  for (const [info, concerned] of programs) {
    const [known, unknown] = partitionByLock(concerned, lock);
    if (unknown.length > 0) changes.push(concerning("Not in the lock", unknown));
    const change = await programChange(info, known, lock);
    if (change !== undefined) changes.push(concerning(change, known));
  }
  return changes;
}

/** Kept scripts that the lock does not have as they are. */
function scriptChanges(tools: readonly Tool[], { scripts }: Lock): DriftChange[] {
  return tools.flatMap((tool) => {
    const kept = scriptOf(tool);
    const locked = ownProperty(scripts, tool.name);
    if (kept === undefined || kept.sha256 === locked) return [];
    const what = locked === undefined ? "not in the lock" : "another text than it was";
    return [{ message: `Script ${kept.file} is ${what}`, tools: [tool.name] }];
  });
}

/** Keeps the tools whose programs are as in `file`. @throws {ClimaxError}, and so does that */
export async function lockFilter(file: string): Promise<ToolFilter> {
  const lock = await readLock(file);
  return async ({ tools, executor }) => {
    if (executor.kind !== "local") {
      const message = "--locked looks at the programs of this machine, and the policy runs others";
      throw new UsageError(message, "Name an image by its digest instead");
    }
    await refuseBlindness();
    return withoutBroken(tools, await driftOf(tools, lock), file);
  };
}

/** Without this permission, every program would seem to be gone. */
async function refuseBlindness(): Promise<void> {
  const { state } = await Deno.permissions.query({ name: "read" });
  if (state === "granted") return;
  const message = "--locked needs more than this process may: --allow-read without a path";
  throw new UsageError(message, "It reads the programs");
}

export function withoutBroken(
  tools: readonly Tool[],
  changes: readonly DriftChange[],
  file: string,
): FilteredTools {
  const output = file === defaultLockName ? "" : ` --output ${shellWord(file)}`;
  const broken = new Set(changes.flatMap((each) => each.tools));
  return {
    tools: tools.filter(({ name }) => !broken.has(name)),
    withheld: tools.filter(({ name }) => broken.has(name)).map((tool) => {
      return withheld(tool, "what it runs is not as it was locked", `climax lock CONFIG…${output}`);
    }),
    warnings: changes.map((change) => ({ file, message: describeChange(change) })),
  };
}

export function describeChange({ message, tools }: DriftChange): string {
  return `${message} (breaks ${listNames(tools, maxShown)})`;
}

const maxShown = 8;

/** Splits the tools into those that the lock has with their current command, and the others. */
function partitionByLock(tools: readonly Used[], lock: Lock): [known: Used[], unknown: Used[]] {
  const isKnown = ({ tool, use }: Used) => {
    const locked = ownProperty(lock.tools, tool.name);
    return locked !== undefined && locked.command.join("\0") === use.words.join("\0");
  };
  return [tools.filter(isKnown), tools.filter((each) => !isKnown(each))];
}

async function programChange(info: ProgramInfo, tools: readonly Used[], lock: Lock) {
  if (tools.length === 0) return undefined;
  const before = lock.programs[info.path];
  if (before === undefined) {
    const { program } = ownProperty(lock.tools, tools[0]!.tool.name)!;
    return `Program '${info.name}' is ${info.path}, and was ${program}`;
  }
  const versions = `${before.version ?? "no version"}, now ${info.version ?? "no version"}`;
  if (before.sha256 !== await info.sha256()) {
    return `Program ${info.path} is another file than it was: ${versions}`;
  }
  // The way to ask for a version may have been unknown
  if (before.version !== null && before.version !== info.version) {
    return `Program ${info.path} says another version: ${versions}`;
  }
  return undefined;
}

function concerning(message: string, used: readonly Used[]): DriftChange {
  return { message, tools: used.map(({ tool }) => tool.name) };
}

/** Compares `tools` with the lock of `folder`, when it has one that lists them, for `climax doctor`. */
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
    const locked = tools.filter(({ name }) => ownProperty(lock.tools, name) !== undefined);
    if (locked.length === 0) return;
    const changes = await driftOf(locked, lock);
    for (const change of changes) {
      const remedy = "Check it, then accept it with climax lock";
      await tell({ ...about, state: "problem", message: describeChange(change), remedy });
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
