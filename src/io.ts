/**
 * Streams, variables and the directory of a run. A test can run `main` with its own. A process has one run at a time;
 * each profile of a server has its own directory (`process/profile.ts`).
 */

import { isAbsolute, sep } from "node:path";

/** A run uses these parts of `Deno`, which {@linkcode io} holds. */
export interface Io {
  readonly stdin: Pick<typeof Deno.stdin, "readable" | "read" | "isTerminal" | "setRaw">;
  readonly stdout: Pick<typeof Deno.stdout, "writable" | "write" | "isTerminal">;
  readonly stderr: Pick<typeof Deno.stderr, "write" | "writeSync" | "isTerminal">;
  readonly env: Pick<typeof Deno.env, "get" | "set" | "toObject">;
  readonly noColor: boolean;
  readonly permissions: Pick<typeof Deno.permissions, "querySync" | "revokeSync">;
  /** The URL of the program's main module. */
  readonly mainModule: string;
  /** The name of the profile to which the work belongs; absent if it belongs to none. */
  readonly profile?: string;
  /** Returns the working directory. @throws `Deno.errors.NotFound` when it was removed */
  cwd(): string;
  consoleSize(): { readonly columns: number };
  addSignalListener(signal: Deno.Signal, listener: () => void): void;
  removeSignalListener(signal: Deno.Signal, listener: () => void): void;
}

export const processIo: Io = Deno;

let current: Io = processIo;
let scope: Scope | undefined;

/** An `AsyncLocalStorage`, whose value is the same in the work in progress and in all work that it starts. */
interface Scope {
  getStore(): Io | undefined;
  run<T>(own: Io, work: () => T): T;
}

export function io(): Io {
  return scope?.getStore() ?? current;
}

/** Makes {@linkcode io} return the value of `storage` for the work in progress, if there is one. */
export function useScope(storage: Scope): void {
  scope = storage;
}

/** Returns a function that runs `work` with the present {@linkcode io}, for events of a thread that profiles share. */
export function bound<A extends unknown[], R>(work: (...args: A) => R): (...args: A) => R {
  const [own, storage] = [io(), scope];
  return storage === undefined ? work : (...args) => storage.run(own, () => work(...args));
}

/** Replaces the value of {@linkcode io}, and returns the value before. */
export function setIo(to: Io): Io {
  const before = current;
  current = to;
  return before;
}

/** Returns the path under which the system finds the file that has the name `path` in the run. */
export function systemPath(path: string): string {
  const own = io();
  if (own === processIo || isAbsolute(path)) return path;
  // `join` would shorten `link/..` before the system reads the link
  return path === "" ? "" : own.cwd() + sep + path;
}

interface ChildSurroundings {
  readonly cwd?: string | undefined;
  readonly env?: Record<string, string>;
  readonly clearEnv?: boolean;
}

/** Returns the options of `Deno.Command` that give a child the directory and the variables of the run. */
export function childOptions(
  { cwd, env = {}, clearEnv = false }: ChildSurroundings,
): Deno.CommandOptions {
  const own = io();
  if (own === processIo) return { ...(cwd === undefined ? {} : { cwd }), env, clearEnv };
  const directory = systemPath(cwd ?? ".");
  if (own.env === processIo.env) return { cwd: directory, env, clearEnv };
  const inherited = clearEnv ? {} : own.env.toObject();
  return { cwd: directory, env: { ...inherited, ...env }, clearEnv: true };
}

/** Returns a variable with a setting of climax; one that may not be read counts as unset. */
export function optionalVariable(name: string): string | undefined {
  try {
    return io().env.get(name);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}
