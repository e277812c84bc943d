/**
 * Looks after a call for what its program created under a protected name. A mount cannot stand where nothing is, and a
 * file in its place would be seen by everybody while the call lasts: by `git status`, by watchers, by other programs.
 * So the program may create it, and it gets another name at the end.
 */

import { basename, dirname, join } from "node:path";
import { delay } from "../async/deadline.ts";
import { messageOf } from "../errors.ts";
import { systemPath } from "../io.ts";
import { log } from "../log.ts";
import { trackBackground } from "./background_work.ts";
import { linkAt } from "./_found_paths.ts";
import type { CreatedName } from "./invocation.ts";
import type { SandboxEnd } from "./process_tree.ts";
import type { OpenName } from "./sandbox_view.ts";

/**
 * Milliseconds after which the kernel has ended everything in a sandbox whose first process it has ended. Nothing tells
 * the moment: what bubblewrap says (`--json-status-fd`, `--sync-fd`) ends before the last process, and what a program
 * inherits it can close.
 */
const endedMs = 100;

const ends = new Set<Promise<void>>();

/** Resolves when no call that has ended can create anything any more: until then, it might have made what another makes. */
export async function guardsEnded(): Promise<void> {
  await Promise.all(ends);
}

/** Guards the protected names that are open when a program of a sandbox starts. */
export class NameGuard implements SandboxEnd {
  readonly endsProcesses = true;
  readonly #open: readonly OpenName[];

  constructor(open: readonly OpenName[]) {
    this.#open = open;
  }

  /** Renames what was created. */
  endCall(): readonly CreatedName[] {
    // A program that still ends could lead this process elsewhere by a folder that it moves
    const created = setAside(this.#open.filter(({ isPinned }) => isPinned));
    const end = delay(endedMs).then(() => void setAside(this.#open)).finally(() =>
      ends.delete(end)
    );
    ends.add(end);
    void trackBackground(end);
    return created;
  }

  /** Says what was created while `program` ran for long: a person may have done that, so that it is not renamed. */
  endServer(program: string): void {
    for (const { path } of createdOf(this.#open)) {
      const what = `'${path}' was created while ${program} ran in a sandbox that may write there`;
      log("warning", `${what}: look at it before you use it`);
    }
  }
}

function createdOf(open: readonly OpenName[]): readonly OpenName[] {
  return [...Map.groupBy(open, ({ path }) => dirname(path))].flatMap(([folder, all]) => {
    const names = isItself(folder) ? namesIn(folder) : undefined;
    return all.filter(({ path, link }) => {
      return (names?.has(basename(path)) ?? false) &&
        (link === undefined || linkAt(path) !== link);
    });
  });
}

/** False if a link on the way leads elsewhere now: what is there belongs to somebody else. */
function isItself(folder: string): boolean {
  try {
    return Deno.realPathSync(systemPath(folder)) === folder;
  } catch {
    return false;
  }
}

function setAside(open: readonly OpenName[]): readonly CreatedName[] {
  return createdOf(open).map(({ path }) => {
    const what = `'${path}', which a program in a sandbox created,`;
    const renamedTo = freeName(path);
    try {
      // A link itself, not what it leads to
      Deno.renameSync(systemPath(path), systemPath(renamedTo));
      log("warning", `${what} is now '${renamedTo}'`);
      return { path, renamedTo };
    } catch (error) {
      log("warning", `${what} cannot be renamed: ${messageOf(error)}`);
      return { path };
    }
  });
}

/** A name beside `path` that nothing has. */
function freeName(path: string): string {
  const names = namesIn(dirname(path));
  for (let count = 1;; count++) {
    const name = `${basename(path)}.set-aside${count === 1 ? "" : `-${count}`}`;
    if (!names?.has(name)) return join(dirname(path), name);
  }
}

/** The names in `folder`; nothing if it cannot be listed. */
function namesIn(folder: string): ReadonlySet<string> | undefined {
  try {
    return new Set([...Deno.readDirSync(systemPath(folder))].map(({ name }) => name));
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? new Set() : undefined;
  }
}
