/** After a call in a sandbox, renames new files that other programs would obey, and removes its temporary folder. */

import { linkAt, SandboxError } from "./_found_paths.ts";
import { basename, dirname, join } from "node:path";
import { delay } from "../async/deadline.ts";
import { messageOf } from "../errors.ts";
import { systemPath } from "../io.ts";
import { log } from "../log.ts";
import { isGitFolder, isThere, recordOpening } from "../process/protected_paths.ts";
import { realPathOf, statOf } from "../process/folders.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "../process/end_signals.ts";
import { trackBackground } from "./background_work.ts";
import type { CreatedName } from "./invocation.ts";
import type { SandboxEnd } from "./process_tree.ts";
import { type AskGit, findBadName } from "./repository.ts";
import { listHiddenNames, type OpenName } from "./sandbox_view.ts";

export type AskerOfIndexes = (() => Promise<AskGit | undefined>) | undefined;

/** The kernel ends a sandbox's processes within this many milliseconds after the first one, and does not report it. */
const endedMs = 100;

/** After a call, renames new files with protected names, because a mount cannot forbid a program to create a name. */
export class NameGuard implements SandboxEnd {
  readonly endsProcesses = true;
  readonly #modes: ReadonlyMap<string, number>;

  constructor(
    readonly open: readonly OpenName[],
    readonly write: readonly string[],
    readonly askGit: AskerOfIndexes,
  ) {
    const folders = new Set(open.map(({ path }) => dirname(path)));
    this.#modes = new Map([...folders].toSorted().map((path) => [path, statOf(path)?.mode ?? 0]));
    this.#record();
  }

  #record(ended?: Promise<void>): void {
    recordOpening(this, this.open.map(({ path }) => path), ended);
  }

  async endCall(): Promise<readonly CreatedName[]> {
    // Only paths whose folder cannot be moved are renamed now: a program that is still ending could swap other folders
    const created = this.#setAside(this.open.filter(({ isPinned }) => isPinned));
    const ended = trackBackground(
      delay(endedMs).then(() => {
        const left = this.#setAside(this.open).filter(({ renamedTo }) => renamedTo === undefined);
        // While a new file with a protected name could not be renamed, only programs in sandboxes start in its folder
        if (left.length > 0) recordOpening({}, left.map(({ path }) => path));
      }),
    );
    this.#record(ended);
    return [...created, ...await this.#setAsideIndexes(ended)];
  }

  /** Renames the index of a repository if a program in the sandbox has written names in it that lead git elsewhere. */
  async #setAsideIndexes(ended: Promise<void>): Promise<readonly CreatedName[]> {
    const opened = this.write.filter((path) => basename(path) === ".git" && isGitFolder(path));
    const asker = opened.length === 0 ? undefined : await this.askGit?.();
    if (asker === undefined) return [];
    await ended;
    return (await Promise.all(opened.map(async (folder) => {
      const bad = await findBadName(asker, dirname(folder)).catch(messageOf);
      return bad === undefined ? [] : [rename(join(folder, "index"))];
    }))).flat();
  }

  /** Warns of protected names that appeared while the server `program` ran. A person may have made them: they stay. */
  endServer(program: string): void {
    this.#record(Promise.resolve());
    for (const { path } of this.#namesCreated(this.open)) {
      const what = `'${path}' was created while ${program} ran in a sandbox that may write there`;
      log("warning", `${what}: look at it before you use it`);
    }
  }

  #setAside(open: readonly OpenName[]): readonly CreatedName[] {
    return this.#namesCreated(open).map(({ path }) => {
      if (realPathOf(dirname(path)) === dirname(path)) return rename(path);
      log("warning", `'${path}', which a program in a sandbox created, cannot be looked at`);
      return { path };
    });
  }

  #namesCreated(open: readonly OpenName[]): readonly OpenName[] {
    for (const [folder, mode] of this.#modes) restoreMode(folder, mode);
    return open.flatMap(({ known, ...name }) => {
      const { path, link, isPart = false, isOnWay = false } = name;
      const folder = dirname(path);
      const real = realPathOf(folder);
      if (real !== folder && (real !== undefined || !isThere(folder))) return [];
      if (known !== undefined) {
        const names = listHiddenNames(folder) ?? [basename(path)];
        return names.filter((each) => !known.has(each) && !/\.set-aside(?:-[\w-]+)?$/.test(each))
          .map((each) => ({ ...name, path: join(folder, each) }));
      }
      if (isPart && !isGitFolder(folder)) return [];
      if (isOnWay && linkAt(path) === undefined) return [];
      return isThere(path) && (link === undefined || linkAt(path) !== link) ? [name] : [];
    });
  }
}

/** Gives back the rights to `folder` that a program has taken from the person, so that climax can look at the folder. */
function restoreMode(folder: string, mode: number): void {
  const now = statOf(folder)?.mode ?? mode;
  if ((mode & ~now & 0o700) === 0 || realPathOf(folder) !== folder) return;
  try {
    Deno.chmodSync(systemPath(folder), now & 0o7777 | mode & 0o700);
    log("warning", `'${folder}' has its rights again, which a program in a sandbox took away`);
  } catch {
    // A path that cannot be looked at counts as created
  }
}

function rename(path: string): CreatedName {
  const what = `'${path}', which a program in a sandbox created,`;
  const renamedTo = freeName(path);
  try {
    Deno.renameSync(systemPath(path), systemPath(renamedTo));
    log("warning", `${what} is now '${renamedTo}'`);
    return { path, renamedTo };
  } catch (error) {
    log("warning", `${what} cannot be renamed: ${messageOf(error)}`);
    return { path };
  }
}

function freeName(path: string): string {
  for (let count = 1;; count++) {
    const name = `${path}.set-aside${count === 1 ? "" : `-${count}`}`;
    if (!isThere(name)) return name;
    if (count > 100) return `${path}.set-aside-${crypto.randomUUID()}`;
  }
}

export class TemporaryFolder implements SandboxEnd {
  readonly endsProcesses = false;
  readonly path: string;

  constructor() {
    try {
      this.path = makeTemporaryFolder();
    } catch (error) {
      throw new SandboxError(`no temporary folder can be made: ${messageOf(error)}`);
    }
  }

  endCall(): readonly CreatedName[] {
    this.remove();
    return [];
  }

  endServer(): void {
    this.remove();
  }

  remove(): void {
    const removed = removeTemporaryFolder(this.path).catch((error) => {
      log("warning", `The temporary folder '${this.path}' cannot be removed: ${messageOf(error)}`);
    });
    void trackBackground(removed);
  }
}
