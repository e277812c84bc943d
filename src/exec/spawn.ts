/** Starts the program of an invocation. */

import { basename, dirname, resolve } from "node:path";
import { childOptions, systemPath } from "../io.ts";
import { isOwnFolderGone, ownFolder } from "../process/folders.ts";
import { findUntrusted, hasSandboxes, isThere, openingsEnded } from "../process/protected_paths.ts";
import { environmentOf } from "./child_environment.ts";
import type { Invocation, NotStarted, StartFailure } from "./invocation.ts";
import { markVariable, needsSession, newMark, variableOfMark, watchMark } from "./processes.ts";
import type { SandboxEnd, Started } from "./process_tree.ts";
import { isStartable } from "./program.ts";
import { present } from "../text/own_property.ts";
import type { RunningProgram } from "./program_thread.ts";
import { messageOf } from "../errors.ts";
import { delay } from "../async/deadline.ts";
import { trackBackground } from "./background_work.ts";
import { findProgram } from "./find_program.ts";

type ProgramStarter = (
  program: string,
  options: Deno.CommandOptions,
) => RunningProgram | Promise<RunningProgram>;

/** Starts `program` with a mark in its environment, by which its process tree is found, and with pipes. */
export async function spawn(
  program: string,
  invocation: Invocation,
  startProgram: ProgramStarter = (path, options) => new Deno.Command(path, options).spawn(),
): Promise<Started | NotStarted> {
  if (!isStartable(program)) {
    return { kind: "not started", failure: "no program of this system", detail: program };
  }
  const { argv: [name], cwd = "" } = invocation;
  const untrusted = await refuseUntrusted(invocation, [resolve(ownFolder(), cwd)]);
  if (untrusted !== undefined) return untrusted;
  if (/^git(?:\.exe)?$/.test(basename(name))) {
    return await orRefusal(() => spawnGit(program, invocation, startProgram));
  }
  const started = await startMarked(program, invocation, startProgram);
  if (invocation.searches === undefined || "kind" in started) return started;
  const { credentialsLeftOut } = await import("./git_call.ts");
  return { ...started, leftOut: credentialsLeftOut(invocation, invocation.searches) };
}

async function spawnGit(program: string, invocation: Invocation, startProgram: ProgramStarter) {
  const { prepareGit } = await import("./git_call.ts");
  const call = await prepareGit(program, invocation);
  // `git add` and `git rm` enter all submodules in the index, so the folders of submodules must be trusted too
  const entersAll = /^(?:add|rm)$/.test(invocation.argv[1] ?? "");
  const entered = entersAll ? await call.submodules() : [];
  const folders = entered.filter(isThere).map((path) => dirname(path));
  const refused = await refuseUntrusted(invocation, folders);
  if (refused !== undefined) return refused;
  const started = await startMarked(program, call.invocation, startProgram, call.temporary);
  if ("kind" in started) return started;
  const { leftOut = [], note, invocation: prepared } = call;
  return { ...started, prepared, note, ...(leftOut.length === 0 ? {} : { leftOut }) };
}

export async function refusalOfGit(program: string, invocation: Invocation) {
  const { prepareGit } = await import("./git_call.ts");
  const call = await orRefusal(() => prepareGit(program, invocation));
  return "failure" in call ? `Command was not started: ${call.detail}` : undefined;
}

async function orRefusal<T>(work: () => Promise<T>): Promise<T | NotStarted> {
  const { RepositoryError } = await import("./repository.ts");
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RepositoryError)) throw error;
    return { kind: "not started", failure: "refused", detail: error.message };
  }
}

async function startMarked(
  program: string,
  invocation: Invocation,
  startProgram: ProgramStarter,
  temporary?: { remove(): void },
): Promise<Started | NotStarted> {
  const { cwd, stdin, hidesStderr = false } = invocation;
  const mark = newMark();
  const env = { ...invocation.env, [markVariable]: variableOfMark(mark) };
  const line = await lineOf(program, { ...invocation, env });
  if ("failure" in line) {
    temporary?.remove();
    return line;
  }
  if (Deno.build.os === "windows" && isLineTooLong(line.program, line.args)) {
    return { kind: "not started", failure: "command line too long", detail: line.program };
  }
  const leads = needsSession();
  const unwatch = await watchMark(mark);
  try {
    const child = await startProgram(line.program, {
      args: [...line.args],
      ...childOptions({ ...line, cwd }),
      stdin: stdin === undefined ? "null" : "piped",
      stdout: "piped",
      stderr: hidesStderr ? "null" : "piped",
      detached: leads,
    });
    let ended = false;
    void child.status.then(() => ended = true).then(unwatch);
    const remove = () => delay(stillEndingMs).then(() => temporary?.remove());
    if (temporary !== undefined) void child.status.then(() => trackBackground(remove()));
    const sandbox = line.begin?.();
    return { child, mark, leads, hasEnded: () => ended, ...present({ sandbox }) };
  } catch (error) {
    line.discard?.();
    temporary?.remove();
    unwatch();
    const failure = await classify(error, invocation);
    return { kind: "not started", failure, detail: messageOf(error) };
  }
}

/** After the end of a program, processes that it started may write in its folder for up to this many milliseconds. */
const stillEndingMs = 200;

/** Refuses a program without a sandbox if it would obey a file that a program in a sandbox may have written. */
async function refuseUntrusted(
  { argv: [name], sandbox }: Invocation,
  folders: readonly string[],
): Promise<NotStarted | undefined> {
  if (sandbox !== undefined || !hasSandboxes()) return undefined;
  await openingsEnded();
  const path = folders.map((folder) => findUntrusted(folder, name)).find((it) => it);
  if (path === undefined) return undefined;
  const detail = `nothing holds it, and programs in a sandbox may write '${path}'\n` +
    "Ask a person to hold this tool too, such as with --sandbox, or to start climax in that folder";
  return { kind: "not started", failure: "no sandbox", detail };
}

interface Line extends Pick<Deno.CommandOptions, "env" | "clearEnv"> {
  readonly program: string;
  readonly args: readonly string[];
  readonly begin?: () => SandboxEnd;
  readonly discard?: () => void;
}

async function lineOf(
  program: string,
  { argv: [, ...args], cwd, env, inherit, sandbox }: Invocation,
): Promise<Line | NotStarted> {
  if (sandbox === undefined) return { program, args, ...environmentOf(env, inherit) };
  // A start must be fast, so the code of sandboxes is imported for the first program that has one
  const { sandboxProgram } = await import("./sandbox.ts");
  const folder = resolve(ownFolder(), cwd ?? "");
  const wrapped = await sandboxProgram({ program, args, cwd: folder, env, inherit }, sandbox);
  return "failure" in wrapped ? wrapped : { ...wrapped, clearEnv: true };
}

/** `CreateProcess` of Windows takes a command line of 32,767 units of UTF-16, with the NUL at the end. */
const maxUnits = 32_766;

/** `cmd.exe`, which runs batch files on Windows, takes 8,191 units of UTF-16, some for words around the line. */
const maxBatchUnits = 8_191 - 64;

export function isLineTooLong(program: string, args: readonly string[]): boolean {
  const limit = /\.(?:cmd|bat)$/i.test(program) ? maxBatchUnits : maxUnits;
  const units = [program, ...args].reduce((sum, word) => sum + word.length + escapes(word) + 3, 0);
  return units > limit;
}

function escapes(word: string): number {
  return word.includes('"') ? word.split(/["\\]/).length - 1 : 0;
}

async function classify(error: unknown, { argv, cwd, env }: Invocation): Promise<StartFailure> {
  if (error instanceof Deno.errors.NotCapable) return "not permitted";
  if (error instanceof Deno.errors.PermissionDenied) return "not executable";
  if (error instanceof Deno.errors.NotFound) {
    // The error is the same for a missing program and a missing directory, so the directory is looked at
    if (cwd !== undefined) return await classifyNotFound(error, cwd);
    return isOwnFolderGone() ? "working directory not found" : "command not found";
  }
  const known = failures[String((error as { code?: unknown }).code)];
  if (known !== undefined) return known;
  // Deno for Windows has no class of error for a missing program, so climax looks for the program itself
  return Deno.build.os === "windows" && findProgram(argv[0], { env }) === undefined
    ? "command not found"
    : "other";
}

const failures: Readonly<Record<string, StartFailure>> = {
  E2BIG: "command line too long",
  EMFILE: "out of file descriptors",
  ENFILE: "out of file descriptors",
  ENOEXEC: "not executable",
};

async function classifyNotFound(error: Error, cwd: string): Promise<StartFailure> {
  try {
    const { isDirectory } = await Deno.stat(systemPath(cwd));
    return isDirectory ? "command not found" : "working directory is no directory";
  } catch (failure) {
    if (failure instanceof Deno.errors.NotFound) return "working directory not found";
    if (!(failure instanceof Deno.errors.NotCapable)) return "working directory is no directory";
  }
  // Deno may not look at the directory, but its error message ends with the name of a directory that is missing
  const quoted = error.message.endsWith(`'${cwd}'`);
  return quoted ? "working directory not found" : "command not found";
}
