/** Runs work in the directory of a profile. What a call starts keeps the profile of its call. */

import { AsyncLocalStorage } from "node:async_hooks";
import { type Io, io, setIo, useScope } from "../io.ts";

/** Returns whether `name` may be that of a profile: a part of an address and of paths. */
export function isProfileName(name: string): boolean {
  return /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name);
}

/** Runs `work`, and all that it starts, in the place of a profile. */
export type ProfileScope = <T>(work: () => T) => T;

const storage = new AsyncLocalStorage<Io>();

/** The place of the profile `name`, whose programs start in `directory`, an absolute path. */
export function profileScope(name: string, directory: string): ProfileScope {
  useScope(storage);
  const own = deriveIo({ profile: name, cwd: () => directory });
  return (work) => storage.run(own, work);
}

/**
 * Returns the place of this process, and takes its directory from all other work: what has lost its profile has no
 * directory rather than a wrong one. Call the returned `end` when nothing is served any more.
 */
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

/** What the run has, with `parts` in place of its own. */
export function deriveIo(parts: Partial<Io>): Io {
  return Object.create(io(), Object.getOwnPropertyDescriptors(parts));
}
