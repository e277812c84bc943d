/** Replaces, creates and locks files, and finds links that lead out of a folder. */

import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { delay } from "../async/deadline.ts";
import { FileError, messageOf } from "../errors.ts";
import { systemPath } from "../io.ts";

interface WriteOptions {
  /** Permissions of the file. @default those of the old file, or those of new files of this process */
  readonly mode?: number | undefined;
  /** A folder that others may have filled, such as a project: writing fails if a link leads out of it. */
  readonly root?: string | undefined;
}

/** Replaces a file in one step; a link stays, a pipe or device is written to. @throws if a link leads out of `root` */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  { mode, root }: WriteOptions = {},
): Promise<void> {
  await requireInside(path, root);
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const there = await Deno.stat(systemPath(path)).catch(() => undefined);
  if (there?.isFile === false) return await Deno.writeFile(systemPath(path), bytes);
  const isLink = await Deno.lstat(systemPath(path)).then((it) => it.isSymlink, () => false);
  const target = isLink ? await linkTarget(path) : path;
  const part = `${target}.${crypto.randomUUID()}.part`;
  try {
    const bits = mode ?? there?.mode ?? undefined;
    const own = bits === undefined ? {} : { mode: bits & 0o777 };
    await Deno.writeFile(systemPath(part), bytes, { ...own, createNew: true });
    if (own.mode !== undefined && Deno.build.os !== "windows") {
      await Deno.chmod(systemPath(part), own.mode);
    }
    await Deno.rename(systemPath(part), systemPath(target));
  } catch (error) {
    await Deno.remove(systemPath(part)).catch(() => {});
    throw error;
  }
}

/** Creates a missing folder, and replaces the file in one step. @throws {ClimaxError} */
export async function writeWhole(
  path: string,
  text: string,
  options: WriteOptions = {},
): Promise<void> {
  await requireWrite(path, "Not everything was written", async () => {
    await makeFolder(path, options);
    await replaceFile(path, text, options);
  });
}

/** A process that holds a lock for ever must not stop this process, which waits at most this many milliseconds. */
const maxWaitMs = 5_000;

/** Calls `change`, which writes the file at `path`, when no other process does, or after {@linkcode maxWaitMs}. */
export async function withLock<T>(path: string, change: () => Promise<T>): Promise<T> {
  await Deno.mkdir(systemPath(dirname(path)), { recursive: true }).catch(() => {});
  // Windows opens no folder, so there is no lock on Windows
  const folder = await linkTarget(path).then((to) => Deno.open(dirname(to)))
    .catch(() => undefined);
  try {
    for (let waitedMs = 0; folder?.tryLockSync(true) === false && waitedMs < maxWaitMs;) {
      await delay(10);
      waitedMs += 10;
    }
    return await change();
  } finally {
    folder?.close();
  }
}

export async function requireWrite(path: string, failure: string, write: () => Promise<void>) {
  try {
    await write();
  } catch (error) {
    const isThere = error instanceof Deno.errors.AlreadyExists &&
      await Deno.lstat(systemPath(path)).then(() => true, () => false);
    const problem = isThere
      ? { message: "The file already exists", hint: "Edit it, or remove it first" }
      : { message: `File cannot be written: ${messageOf(error)}` };
    throw new FileError(failure, { file: path, ...problem });
  }
}

/** Creates the file at `path`, which must not exist. After a failure the file does not exist. */
export async function createFile(path: string, text: string): Promise<void> {
  (await Deno.open(systemPath(path), { write: true, createNew: true })).close();
  try {
    await Deno.writeTextFile(systemPath(path), text);
  } catch (error) {
    await Deno.remove(systemPath(path)).catch(() => {});
    throw error;
  }
}

export async function makeFolder(
  path: string,
  { root }: Pick<WriteOptions, "root">,
): Promise<void> {
  await requireInside(path, root);
  await Deno.mkdir(systemPath(dirname(path)), { recursive: true });
}

async function requireInside(path: string, root: string | undefined): Promise<void> {
  if (root === undefined) return;
  const target = await targetOutside(path, root);
  if (target !== undefined) throw new Error(`a link leads out of the project, to '${target}'`);
}

export async function targetOutside(path: string, root: string): Promise<string | undefined> {
  const target = await linkTarget(path);
  const inside = relative(await Deno.realPath(systemPath(root)), target);
  const isOutside = inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return isOutside ? target : undefined;
}

/** At most this many links are followed in a row, as Linux does (`MAXSYMLINKS`). */
const maxLinks = 40;

/** Returns the absolute path that a file written to `path` would have. @throws {Error} for links in a circle */
export async function linkTarget(path: string): Promise<string> {
  let end = resolve(systemPath(path));
  for (let count = 0; count < maxLinks; count++) {
    end = join(await realFolder(dirname(end)), basename(end));
    const isLink = await Deno.lstat(end).then((it) => it.isSymlink, () => false);
    if (!isLink) return end;
    end = resolve(dirname(end), await Deno.readLink(end));
  }
  throw new Error("the links from here lead nowhere");
}

async function realFolder(folder: string): Promise<string> {
  try {
    return await Deno.realPath(folder);
  } catch (error) {
    const above = dirname(folder);
    if (!(error instanceof Deno.errors.NotFound) || above === folder) throw error;
    // If `folder` is missing, or a link to a missing folder, its path is resolved as if the folder existed
    return await linkTarget(folder);
  }
}

export async function removeOldest(folder: string, most: number, pattern = /^/): Promise<void> {
  const files: { path: string; time: number }[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (!pattern.test(name)) continue;
    const path = join(folder, name);
    files.push({ path, time: (await Deno.stat(path)).mtime?.getTime() ?? 0 });
  }
  const old = files.toSorted((a, b) => b.time - a.time).slice(most);
  await Promise.all(old.map(({ path }) => Deno.remove(path).catch(() => {})));
}

/** Makes `folder`, if it is missing, for its owner alone. git ignores its content, since a home folder may be a repository. */
export async function makePrivateFolder(folder: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  await createFile(join(folder, ".gitignore"), "*\n").catch((error) => {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  });
}

/** Returns why the file at the absolute `path` is not private; `undefined` if it is. @throws {Deno.errors.NotFound} */
export function exposureOf(path: string): string | undefined {
  const { isSymlink, isFile, mode } = Deno.lstatSync(path);
  if (isSymlink) return "It is a link";
  if (!isFile) return "It is not a file";
  if (hasBits(mode, 0o077)) return "Other users may read it";
  const folder = Deno.statSync(dirname(path));
  return hasBits(folder.mode, 0o022) ? "Other users may write to its folder" : undefined;
}

function hasBits(mode: number | null, bits: number): boolean {
  return mode !== null && Deno.build.os !== "windows" && (mode & bits) !== 0;
}
