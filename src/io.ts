/**
 * What a run of the program takes from its process, so that a test can run `main` with others. One run at a time;
 * the profiles of one server have each its own (`process/profile.ts`).
 */

import { isAbsolute, sep } from "node:path";
import process from "node:process";

/** The part of `Deno` that belongs to one run. */
export interface Io {
  readonly stdin: Pick<typeof Deno.stdin, "readable" | "read" | "isTerminal" | "setRaw">;
  readonly stdout: Pick<typeof Deno.stdout, "writable" | "write" | "isTerminal">;
  readonly stderr: Pick<typeof Deno.stderr, "write" | "writeSync" | "isTerminal">;
  readonly env: Pick<typeof Deno.env, "get" | "set" | "toObject">;
  readonly noColor: boolean;
  readonly permissions: Pick<typeof Deno.permissions, "querySync" | "revokeSync">;
  /** The URL of the program's main module. */
  readonly mainModule: string;
  /** The name of the profile whose work this is; absent: none. */
  readonly profile?: string;
  /** Returns the working directory. @throws `Deno.errors.NotFound` when it was removed */
  cwd(): string;
  consoleSize(): { readonly columns: number };
  addSignalListener(signal: Deno.Signal, listener: () => void): void;
  removeSignalListener(signal: Deno.Signal, listener: () => void): void;
}

/** The process itself. */
export const processIo: Io = Deno;

let current: Io = processIo;
let scope: Scope | undefined;

/** What {@linkcode io} is for the work in progress, and all that it starts. */
interface Scope {
  getStore(): Io | undefined;
  run<T>(own: Io, work: () => T): T;
}

/** The streams, environment and directory of the current run. */
export function io(): Io {
  return scope?.getStore() ?? current;
}

/** From now on, {@linkcode io} returns what `storage` has for the work in progress, if it has any. */
export function useScope(storage: Scope): void {
  scope = storage;
}

/** `work` with what {@linkcode io} returns now, at any later call, as for events of a thread that profiles share. */
export function bound<A extends unknown[], R>(work: (...args: A) => R): (...args: A) => R {
  const [own, storage] = [io(), scope];
  return storage === undefined ? work : (...args) => storage.run(own, () => work(...args));
}

/** Sets what {@linkcode io} returns; returns what it was. */
export function setIo(to: Io): Io {
  const before = current;
  current = to;
  return before;
}

/** The path under which the system finds what the run calls `path`. */
export function systemPath(path: string): string {
  const own = io();
  if (own === processIo || isAbsolute(path)) return path;
  // `join` would shorten `link/..` before the system reads the link
  return path === "" ? "" : own.cwd() + sep + path;
}

interface ChildPlace {
  readonly cwd?: string | undefined;
  readonly env?: Record<string, string>;
  readonly clearEnv?: boolean;
}

/** The options of `Deno.Command` that give a child the directory and the variables of the run. */
export function childOptions({ cwd, env = {}, clearEnv = false }: ChildPlace): Deno.CommandOptions {
  const own = io();
  if (own === processIo) return { ...(cwd === undefined ? {} : { cwd }), env, clearEnv };
  const place = systemPath(cwd ?? ".");
  if (own.env === processIo.env) return { cwd: place, env, clearEnv };
  const inherited = clearEnv ? {} : own.env.toObject();
  return { cwd: place, env: { ...inherited, ...env }, clearEnv: true };
}

/** The path of the `file:` address `url`. The module for it takes some ms to load, and most starts need none. */
export function pathOfUrl(url: string | URL): string {
  return process.getBuiltinModule("node:url").fileURLToPath(url);
}

/** Reads a variable with a setting of climax; one that may not be read counts as not set. */
export function optionalVariable(name: string): string | undefined {
  try {
    return io().env.get(name);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}
