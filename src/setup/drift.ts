/**
 * What has changed in programs since they were locked, and which tools that concerns. A tool whose
 * program is another one, or that uses what is gone, is not what its config says any more.
 */

import { sha256 } from "../text/hash.ts";
import { type Problem, UsageError } from "../errors.ts";
import type { ToolFilter } from "../session/tool_filter.ts";
import type { Tool } from "../tool/tool.ts";
import { inTurns } from "./_concurrently.ts";
import { type Lock, type LockedTool, lockedTool, readLock } from "./lock_file.ts";
import { type Look, mentions, ProgramInspector, type Used, usedIn } from "./_program_inspector.ts";

/** One thing that has changed. */
export interface DriftChange {
  readonly message: string;
  /** Names of the tools it concerns. */
  readonly tools: readonly string[];
  /** Whether those tools are refused where programs have to be as they were. */
  readonly isBreaking: boolean;
}

/** Settings of {@linkcode driftOf}. */
export interface DriftOptions {
  /**
   * Whether every help is asked, also where program, version and its own help are the same.
   * @default false
   */
  readonly thorough?: boolean;
  readonly onRun?: (argv: readonly string[]) => void;
}

/** Compares `tools` with `lock`. */
export async function driftOf(
  tools: readonly Tool[],
  lock: Lock,
  { thorough = false, onRun }: DriftOptions = {},
): Promise<DriftChange[]> {
  await using looks = new ProgramInspector(onRun);
  const changes: DriftChange[] = [];
  const missing: Used[] = [];
  const programs = new Map<Look, Used[]>();
  for (const used of usedIn(tools)) {
    const look = await looks.inspect(used.use);
    if (look === undefined) missing.push(used);
    else programs.set(look, [...programs.get(look) ?? [], used]);
  }
  if (missing.length > 0) {
    const names = new Set(missing.map(({ use }) => `'${use.name}'`));
    changes.push(breaking(`Not on PATH any more: ${[...names].join(", ")}`, missing));
  }
  for (const [look, concerned] of programs) {
    const [known, unknown] = parted(concerned, lock);
    if (unknown.length > 0) changes.push(breaking("Not in the lock", unknown));
    const found = await programChanges(look, known, lock);
    changes.push(...found);
    if (found.length === 0 && !thorough) continue;
    await inTurns(known, ({ use }) => look.helpOf(use.words));
    for (const used of known) {
      changes.push(...await toolChanges(used, look, lockedTool(lock, used.tool.name)!));
    }
  }
  return changes;
}

/**
 * What leaves the tools whose programs are as `file` has them.
 *
 * @throws {ClimaxError} when the file cannot be read; the function it returns, when there is nothing
 * to compare with
 */
export async function narrowTo(file: string): Promise<ToolFilter> {
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

/** A process that may not look would find that everything is gone. */
async function refuseBlindness(): Promise<void> {
  for (const name of ["read", "write"] as const) {
    const { state } = await Deno.permissions.query({ name });
    if (state === "granted") continue;
    const message = `--locked needs more than this process may: --allow-${name} without a path`;
    throw new UsageError(
      message,
      "It reads the programs, and runs them in a directory of their own",
    );
  }
}

/** The tools that are as they were, and why the others are not. */
export interface Unchanged {
  readonly tools: readonly Tool[];
  readonly warnings: readonly Problem[];
}

/** Takes out the tools that a change breaks. */
export function withoutBroken(
  tools: readonly Tool[],
  changes: readonly DriftChange[],
  file: string,
): Unchanged {
  const broken = new Set(changes.filter((each) => each.isBreaking).flatMap((each) => each.tools));
  return {
    tools: tools.filter(({ name }) => !broken.has(name)),
    warnings: changes.map((change) => ({ file, message: describeChange(change) })),
  };
}

/** A change with the tools it concerns. */
export function describeChange({ message, tools, isBreaking }: DriftChange): string {
  const shown = tools.slice(0, maxShown).join(", ");
  const more = tools.length > maxShown ? ` and ${tools.length - maxShown} more` : "";
  return `${message} (${isBreaking ? "breaks" : "concerns"} ${shown}${more})`;
}

/** Names of tools in one message. */
const maxShown = 8;

/** Those that are in the lock, with the command they have now, and the others. */
function parted(tools: readonly Used[], lock: Lock): [known: Used[], unknown: Used[]] {
  const isKnown = ({ tool, use }: Used) => {
    const locked = lockedTool(lock, tool.name);
    return locked !== undefined && locked.command.join("\0") === use.words.join("\0");
  };
  return [tools.filter(isKnown), tools.filter((each) => !isKnown(each))];
}

async function programChanges(
  look: Look,
  tools: readonly Used[],
  lock: Lock,
): Promise<DriftChange[]> {
  if (tools.length === 0) return [];
  const before = lock.programs[look.path];
  if (before === undefined) {
    const { program } = lockedTool(lock, tools[0]!.tool.name)!;
    return [breaking(`Program '${look.name}' is ${look.path}, and was ${program}`, tools)];
  }
  const versions = `${before.version ?? "no version"}, now ${look.version ?? "no version"}`;
  if (before.sha256 !== look.sha256) {
    return [breaking(`Program ${look.path} is another file than it was: ${versions}`, tools)];
  }
  if (before.version !== look.version) {
    return [breaking(`Program ${look.path} says another version: ${versions}`, tools)];
  }
  const help = await look.helpOf([look.name]);
  if ((help === undefined ? null : sha256(help)) === before.help) return [];
  return [{
    message: `The help of '${look.name}' has changed`,
    tools: names(tools),
    isBreaking: false,
  }];
}

async function toolChanges(used: Used, look: Look, locked: LockedTool): Promise<DriftChange[]> {
  const { tool, use: { words, flags } } = used;
  const called = words.join(" ");
  const help = await look.helpOf(words);
  const above = words.length > 1 ? await look.helpOf(words.slice(0, -1)) : undefined;
  const isGone = locked.help !== null && (help === undefined || locked.own_help && help === above);
  if (isGone) return [breaking(`Command '${called}' is gone`, [used])];
  if (help === undefined || sha256(help) === locked.help) return [];
  const gone = flags.filter((flag) => locked.flags.includes(flag) && !mentions(help, flag));
  if (gone.length === 0) {
    return [{
      message: `The help of '${called}' has changed`,
      tools: [tool.name],
      isBreaking: false,
    }];
  }
  return gone.map((flag) => breaking(`The help of '${called}' has no ${flag} any more`, [used]));
}

function breaking(message: string, tools: readonly Used[]): DriftChange {
  return { message, tools: names(tools), isBreaking: true };
}

function names(tools: readonly Used[]): string[] {
  return tools.map(({ tool }) => tool.name);
}
