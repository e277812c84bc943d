/**
 * The files of MCP clients on disk, read and written to the byte. What a link points to is written,
 * not the link, unless it leads out of a project; who may read a file stays as it was; and a file that
 * somebody else has changed since it was read is left alone.
 */

import { dirname } from "node:path";
import { linkTarget } from "../files/link_target.ts";
import { replaceFile, targetOutside } from "../files/write_file.ts";
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
  const target = await targetOutside(path, folder);
  if (target === undefined) return file;
  throw failed(path, `The file is a link out of the project: it leads to '${target}'`);
}

/** Where a file at `path` would be: a link of dotfiles may point to what is still to come. */
async function endOfLinks(path: string): Promise<string> {
  const isLink = await Deno.lstat(path).then((it) => it.isSymlink, () => false);
  if (!isLink) return path;
  try {
    return await linkTarget(path);
  } catch (error) {
    throw failed(path, `The file cannot be read: ${messageOf(error)}`);
  }
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
    await Deno.mkdir(dirname(path), { recursive: true });
    await replaceFile(path, text, { mode });
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

function failed(file: string, message: string, hint?: string): ClimaxError {
  const problem = { file, message, ...(hint === undefined ? {} : { hint }) };
  return new ClimaxError("Nothing was written", ExitCode.file, [problem]);
}
