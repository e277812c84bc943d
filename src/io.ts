/** Holds the streams, environment variables and working directory of the process, of a profile or of a test. */

import { isAbsolute, sep } from "node:path";

export interface Io {
  readonly stdin: Pick<typeof Deno.stdin, "readable" | "read" | "isTerminal" | "setRaw">;
  readonly stdout: Pick<typeof Deno.stdout, "writable" | "write" | "isTerminal">;
  readonly stderr: Pick<typeof Deno.stderr, "write" | "writeSync" | "isTerminal">;
  readonly env: Pick<typeof Deno.env, "get" | "set" | "toObject">;
  readonly noColor: boolean;
  readonly permissions: Pick<typeof Deno.permissions, "querySync" | "revokeSync">;
  readonly mainModule: string;
  readonly profile?: string;
  /** @throws `Deno.errors.NotFound` if the working directory was removed */
  cwd(): string;
  consoleSize(): { readonly columns: number };
  addSignalListener(signal: Deno.Signal, listener: () => void): void;
  removeSignalListener(signal: Deno.Signal, listener: () => void): void;
}

export const processIo: Io = Deno;

let current: Io = processIo;
let scope: Scope | undefined;

interface Scope {
  getStore(): Io | undefined;
  run<T>(own: Io, work: () => T): T;
}

export function io(): Io {
  return scope?.getStore() ?? current;
}

export function useScope(storage: Scope): void {
  scope = storage;
}

export function bound<A extends unknown[], R>(work: (...args: A) => R): (...args: A) => R {
  const [own, storage] = [io(), scope];
  return storage === undefined ? work : (...args) => storage.run(own, () => work(...args));
}

export function setIo(to: Io): Io {
  const before = current;
  current = to;
  return before;
}

/** Resolves `path` against the directory of {@linkcode io}, which in a profile is not the directory of the process. */
export function systemPath(path: string): string {
  const own = io();
  if (own === processIo || isAbsolute(path)) return path;
  // `join` would shorten `link/..` to nothing, but the system follows the link before it applies `..`
  return path === "" ? "" : own.cwd() + sep + path;
}

export function childOptions(
  { cwd, env = {}, clearEnv = false }: {
    readonly cwd?: string | undefined;
    readonly env?: Record<string, string>;
    readonly clearEnv?: boolean;
  },
): Deno.CommandOptions {
  const own = io();
  if (own === processIo) return { ...(cwd === undefined ? {} : { cwd }), env, clearEnv };
  const directory = systemPath(cwd ?? ".");
  if (own.env === processIo.env) return { cwd: directory, env, clearEnv };
  const inherited = clearEnv ? {} : own.env.toObject();
  return { cwd: directory, env: { ...inherited, ...env }, clearEnv: true };
}

/** Returns an environment variable; one that Deno does not let climax read counts as unset. */
export function optionalVariable(name: string): string | undefined {
  try {
    return io().env.get(name);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}
