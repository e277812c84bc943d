/** Runs work in the directory of a profile. */

import { AsyncLocalStorage } from "node:async_hooks";
import { type Io, io, setIo, useScope } from "../io.ts";

/** Returns whether a profile may have this name, which is part of an address and of paths. */
export function isProfileName(name: string): boolean {
  return /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name);
}

export type ProfileScope = <T>(work: () => T) => T;

const storage = new AsyncLocalStorage<Io>();

/** Returns a function that runs work within the profile `name`, whose programs start in the absolute `directory`. */
export function profileScope(name: string, directory: string): ProfileScope {
  useScope(storage);
  const own = deriveIo({ profile: name, cwd: () => directory });
  return (work) => storage.run(own, work);
}

export function separateScopes(): { readonly own: ProfileScope; end(): void } {
  useScope(storage);
  const before = io();
  setIo(deriveIo({
    cwd() {
      throw new Deno.errors.NotFound("No profile is known for this work, so it has no directory");
    },
  }));
  return { own: (work) => storage.run(before, work), end: () => void setIo(before) };
}

export function deriveIo(parts: Partial<Io>): Io {
  return Object.create(io(), Object.getOwnPropertyDescriptors(parts));
}
