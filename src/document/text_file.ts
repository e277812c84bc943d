/** A text file the user named, or one sentence on why it cannot be read. */

import { dirname } from "node:path";
import { ClimaxError, ExitCode, messageOf, type Problem } from "../errors.ts";
import { allowHint } from "../process/allow_hint.ts";

/** The text of a file, or the problem with it. */
export type TextFile =
  | { readonly ok: true; readonly text: string }
  | {
    readonly ok: false;
    readonly problem: Problem;
    /** Whether there is no such file. */
    readonly isMissing: boolean;
  };

/** Reads the UTF-8 file at `path`. */
export async function readTextFile(path: string): Promise<TextFile> {
  try {
    const bytes = await Deno.readFile(path);
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch (error) {
    const isMissing = error instanceof Deno.errors.NotFound;
    return { ok: false, problem: { file: path, ...readFailure(error, path) }, isMissing };
  }
}

function readFailure(error: unknown, path: string): Omit<Problem, "file"> {
  if (error instanceof Deno.errors.NotFound) return { message: "File not found" };
  if (error instanceof Deno.errors.IsADirectory) {
    return { message: "Expected a file, found a directory" };
  }
  if (error instanceof Deno.errors.NotCapable) {
    return {
      message: "This program may not read the file",
      hint: allowHint(path, "--allow-read"),
    };
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return { message: "File cannot be read: permission denied" };
  }
  if (error instanceof TypeError) {
    return { message: "File is not UTF-8 text", hint: "Save it with the encoding UTF-8" };
  }
  return { message: `File cannot be read: ${messageOf(error)}` };
}

/**
 * Puts `text` into the file at `path` at once: whoever reads it sees all of the old or of the new. A link
 * stays, and what it leads to is replaced; what is no file, such as a pipe, is written to. Who may read
 * it stays the same, unless `mode` says otherwise.
 */
export async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  const there = await Deno.stat(path).catch(() => undefined);
  if (there?.isFile === false) return await Deno.writeTextFile(path, text);
  const target = there === undefined ? path : await Deno.realPath(path);
  const part = `${target}.${crypto.randomUUID()}.part`;
  try {
    const kept = mode ?? there?.mode ?? undefined;
    const own = kept === undefined ? {} : { mode: kept & 0o777 };
    await Deno.writeTextFile(part, text, own);
    // What the mask of the process took away comes back
    if (own.mode !== undefined && Deno.build.os !== "windows") await Deno.chmod(part, own.mode);
    await Deno.rename(part, target);
  } catch (error) {
    await Deno.remove(part).catch(() => {});
    throw error;
  }
}

/** Writes `text` into the file at `path`, which must not be there yet, and is not after a failure. */
export async function createFile(path: string, text: string): Promise<void> {
  (await Deno.open(path, { write: true, createNew: true })).close();
  try {
    await Deno.writeTextFile(path, text);
  } catch (error) {
    await Deno.remove(path).catch(() => {});
    throw error;
  }
}

/** The same as {@linkcode replaceFile}, its folder made where there is none. @throws {ClimaxError} when that cannot be */
export async function writeWhole(path: string, text: string): Promise<void> {
  try {
    await Deno.mkdir(dirname(path), { recursive: true });
    await replaceFile(path, text);
  } catch (error) {
    const message = `File cannot be written: ${messageOf(error)}`;
    throw new ClimaxError("Not everything was written", ExitCode.file, [{ file: path, message }]);
  }
}
