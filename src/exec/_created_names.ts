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
import type { CreatedName } from "./invocation.ts";
import type { SandboxEnd } from "./process_tree.ts";

/** Milliseconds after which the kernel has ended everything in a sandbox whose first process it has ended. */
const endedMs = 100;

const running = new Set<NameGuard>();

/** Guards the protected names that are free when a program of a sandbox starts. */
export class NameGuard implements SandboxEnd {
  readonly endsProcesses = true;
  readonly #absent: readonly string[];
  readonly #creates: readonly string[];
  /** What programs that ran meanwhile could create. */
  readonly #excused = new Set<string>();

  /** @param creates the names that the program may create */
  constructor(absent: readonly string[], creates: readonly string[] = []) {
    this.#absent = absent;
    this.#creates = creates;
    for (const other of running) {
      creates.forEach((path) => other.#excused.add(path));
      other.#creates.forEach((path) => this.#excused.add(path));
    }
    running.add(this);
  }

  /** Renames what was created, and what comes while the rest of the sandbox ends. */
  endCall(): readonly CreatedName[] {
    const absent = this.#end();
    if (absent.length === 0) return [];
    const created = setAside(absent);
    void trackBackground(delay(endedMs).then(() => void setAside(absent)));
    return created;
  }

  /** Says what was created while `program` ran for long: a person may have done that, so that it is not renamed. */
  endServer(program: string): void {
    for (const path of createdOf(this.#end())) {
      const what = `'${path}' was created while ${program} ran in a sandbox that may write there`;
      log("warning", `${what}: look at it before you use it`);
    }
  }

  #end(): readonly string[] {
    running.delete(this);
    return this.#absent.filter((path) => !this.#excused.has(path));
  }
}

/** The names in `folder`; nothing if it cannot be listed. */
export function namesIn(folder: string): ReadonlySet<string> | undefined {
  try {
    return new Set([...Deno.readDirSync(systemPath(folder))].map(({ name }) => name));
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? new Set() : undefined;
  }
}

function createdOf(absent: readonly string[]): readonly string[] {
  return [...Map.groupBy(absent, dirname)].flatMap(([folder, paths]) => {
    const names = namesIn(folder);
    return paths.filter((path) => names?.has(basename(path)) ?? false);
  });
}

function setAside(absent: readonly string[]): readonly CreatedName[] {
  return createdOf(absent).map((path) => {
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
