/**
 * The files of MCP clients on disk, read and written to the byte. What a link points to is written,
 * not the link, unless it leads out of a project; who may read a file stays as it was; and a file that
 * somebody else has changed since it was read is left alone.
 */

import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { ClimaxError, ExitCode, messageOf } from "../errors.ts";

/** A client's file as it is. */
export interface ClientFile {
  readonly path: string;
  /** Absent where there is no file. */
  readonly text: string | undefined;
  readonly mode: number | undefined;
}

/** Bytes that a client's file may have: some keep the history of everything in it. */
const maxBytes = 64 * 1024 * 1024;

/** Reads the file at `path`. @throws {ClimaxError} when it is there and cannot be read as UTF-8 */
export async function readClientFile(path: string): Promise<ClientFile> {
  try {
    const target = await Deno.realPath(path);
    const { mode, isFile, size } = await Deno.stat(target);
    if (!isFile) throw failed(path, "The file cannot be read: it is not a regular file");
    if (size > maxBytes) {
      throw failed(path, `The file cannot be read: it has more than ${maxBytes} bytes`);
    }
    const bytes = await Deno.readFile(target);
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { path: target, text, mode: mode ?? undefined };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      return { path: await endOfLinks(path), text: undefined, mode: undefined };
    }
    if (error instanceof ClimaxError) throw error;
    const reason = error instanceof TypeError ? "it is not UTF-8 text" : messageOf(error);
    throw failed(path, `The file cannot be read: ${reason}`);
  }
}

/**
 * The same of a file of the project in `folder`, which somebody else may have made.
 *
 * @throws {ClimaxError} when it leads out of the folder as well
 */
export async function readProjectFile(path: string, folder: string): Promise<ClientFile> {
  const file = await readClientFile(path);
  const inside = relative(await Deno.realPath(folder), await withoutLinks(file.path));
  if (!inside.startsWith(`..${sep}`) && !isAbsolute(inside)) return file;
  throw failed(path, `The file is a link out of the project: it leads to '${file.path}'`);
}

/** `path` without the links among its folders, as far as these are there yet. */
async function withoutLinks(path: string): Promise<string> {
  const folder = dirname(path);
  const real = await Deno.realPath(folder).catch(() => withoutLinks(folder));
  return join(real, basename(path));
}

/** Links that are followed to a file that is not there yet. */
const maxLinks = 40;

/** Where a file at `path` would be: a link of dotfiles may point to what is still to come. */
async function endOfLinks(path: string): Promise<string> {
  let end = path;
  for (let count = 0; count < maxLinks; count++) {
    const isLink = await Deno.lstat(end).then((it) => it.isSymlink, () => false);
    if (!isLink) return end;
    end = resolve(dirname(end), await Deno.readLink(end));
  }
  throw failed(path, "The links from here lead nowhere");
}

/** Backups that are looked at, and kept beside a file. */
const maxBackups = 100;

/** The texts of the backups beside the file at `path`. */
export async function backupsOf(path: string): Promise<readonly string[]> {
  const texts: string[] = [];
  for (let number = 1; number <= maxBackups; number++) {
    const { text } = await readClientFile(backupName(path, number));
    if (text === undefined) return texts;
    texts.push(text);
  }
  return texts;
}

/**
 * Puts `text` in the place of what `file` has, or takes the file away where there is to be none. What
 * is replaced goes into a backup, whose path comes back.
 *
 * @throws {ClimaxError} when the file is not as it was read, or cannot be written
 */
export async function writeClientFile(
  file: ClientFile,
  text: string | undefined,
): Promise<string | undefined> {
  const { path, mode } = file;
  if ((await readClientFile(path)).text !== file.text) {
    throw failed(path, "The file was changed meanwhile, by its client perhaps", "Try again");
  }
  if (mode !== undefined && (mode & 0o200) === 0) {
    const hint = "Make it writable, or add by hand what --print prints";
    throw failed(path, "The file is read-only", hint);
  }
  try {
    if (text === undefined) {
      await Deno.remove(path);
      return undefined;
    }
    const backup = file.text === undefined ? undefined : await backUp(file.text, file);
    await replace(path, text, mode);
    return backup;
  } catch (error) {
    throw failed(path, `The file cannot be written: ${messageOf(error)}`);
  }
}

async function backUp(text: string, { path, mode = 0o600 }: ClientFile): Promise<string> {
  const known = await backupsOf(path);
  const same = known.indexOf(text);
  if (same !== -1) return backupName(path, same + 1);
  const number = Math.min(known.length + 1, maxBackups);
  const name = backupName(path, number);
  // The last one is taken away, and not what it may lead to; what is a link to nothing stays
  if (number === maxBackups) await Deno.remove(name).catch(() => {});
  await Deno.writeTextFile(name, text, { mode: mode & 0o777, createNew: true });
  return name;
}

function backupName(path: string, number: number): string {
  return number === 1 ? `${path}.bak` : `${path}.bak${number}`;
}

/** All of it at once: whoever reads the file sees the old or the new. */
async function replace(path: string, text: string, mode: number | undefined): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  const part = `${path}.${crypto.randomUUID()}.part`;
  try {
    const own = mode === undefined ? {} : { mode: mode & 0o777 };
    await Deno.writeTextFile(part, text, { ...own, createNew: true });
    // What the mask of the process took away comes back
    if (mode !== undefined && Deno.build.os !== "windows") await Deno.chmod(part, mode & 0o777);
    await Deno.rename(part, path);
  } catch (error) {
    await Deno.remove(part).catch(() => {});
    throw error;
  }
}

function failed(file: string, message: string, hint?: string): ClimaxError {
  const problem = { file, message, ...(hint === undefined ? {} : { hint }) };
  return new ClimaxError("Nothing was written", ExitCode.file, [problem]);
}
