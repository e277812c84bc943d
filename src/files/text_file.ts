/** Reads a text file that the user named. */

import { resolve } from "node:path";
import { ownFolder, statOf } from "../process/folders.ts";
import { systemPath } from "../io.ts";
import { FileError, messageOf, type Problem } from "../errors.ts";
import { allowHint, warnIfExposed } from "../process/permissions.ts";
import { isThere, protect } from "../process/protected_paths.ts";
import { GrowingBuffer } from "../text/lines.ts";
import type { NamedText } from "../text/named_text.ts";

export type TextFile =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: Problem; readonly isMissing: boolean };

/** A file may have at most this many bytes: a project may have a link to a file without an end. */
const maxBytes = 64 * 1024 * 1024;

const texts = new Map<string, TextFile>();
let isReadOnce: (path: string) => boolean = () => false;

/** From now on, a file for which `keeps` is true is read once, and later reads return the same text. */
export function keepTexts(keeps: (path: string) => boolean = () => false): void {
  isReadOnce = keeps;
  texts.clear();
}

export async function readTextFile(path: string | NamedText): Promise<TextFile> {
  if (typeof path !== "string") return { ok: true, text: path.text };
  const key = resolve(ownFolder(), systemPath(path));
  const before = texts.get(key);
  if (before !== undefined && isReadOnce(path)) return before;
  const text = await readNow(path);
  texts.set(key, text);
  return text;
}

async function readNow(path: string): Promise<TextFile> {
  try {
    protect(path);
    const bytes = await readBytes(path);
    warnIfExposed(path);
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch (error) {
    const isMissing = error instanceof Deno.errors.NotFound && !isThere(path);
    return { ok: false, problem: { file: path, ...readFailure(error, path) }, isMissing };
  }
}

/** Returns the text of the file at `path`. @throws {ClimaxError} with `message` when it cannot be read */
export async function requireText(path: string, message: string): Promise<string> {
  const read = await readTextFile(path);
  if (read.ok) return read.text;
  throw new FileError(message, read.problem);
}

/** A file that cannot be read is never taken for absent, because writing would destroy it. @throws {ClimaxError} */
export async function textToReplace(path: string, message: string): Promise<string | undefined> {
  const read = await readTextFile(path);
  if (read.ok) return read.text;
  if (read.isMissing) return undefined;
  throw new FileError(message, read.problem);
}

/** Reads a whole file. @throws {Error} when it has too many bytes, or is neither a regular file nor below `/dev/` */
async function readBytes(path: string): Promise<Uint8Array> {
  // A project may have a FIFO, which takes for ever to open. A person may name a pipe by /dev/fd
  const { isFile } = await Deno.stat(systemPath(path));
  if (!isFile && !path.startsWith("/dev/")) throw new Error("it is not a regular file");
  using file = await Deno.open(systemPath(path));
  const buffer = new GrowingBuffer();
  const chunk = new Uint8Array(64 * 1024);
  for (let count = await file.read(chunk); count !== null; count = await file.read(chunk)) {
    if (buffer.length + count > maxBytes) {
      throw new RangeError(`it has over ${maxBytes / 1024 / 1024} MiB`);
    }
    buffer.append(chunk.subarray(0, count));
  }
  return buffer.take();
}

function readFailure(error: unknown, path: string): Omit<Problem, "file"> {
  if (error instanceof Deno.errors.NotFound) {
    return {
      message: isThere(path) ? "The file is a link that leads to nothing" : "File not found",
    };
  }
  if (statOf(path)?.isDirectory) return { message: "Expected a file, found a directory" };
  if (error instanceof Deno.errors.NotCapable) {
    return { message: "This program may not read the file", hint: allowHint(path, "--allow-read") };
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return { message: "File cannot be read: permission denied" };
  }
  if (error instanceof TypeError) {
    return { message: "File is not UTF-8 text", hint: "Save it with the encoding UTF-8" };
  }
  return { message: `File cannot be read: ${messageOf(error)}` };
}

export async function readUpTo(file: Deno.FsFile, most: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(most);
  let length = 0;
  while (length < most) {
    const count = await file.read(bytes.subarray(length));
    if (count === null) break;
    length += count;
  }
  return bytes.subarray(0, length);
}
