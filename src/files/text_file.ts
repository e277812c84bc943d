/** Reads a text file that the user named. */

import { messageOf, type Problem } from "../errors.ts";
import { allowHint } from "../process/allow_hint.ts";

/** The text of a file, or the reason why it cannot be read. */
export type TextFile =
  | { readonly ok: true; readonly text: string }
  | {
    readonly ok: false;
    readonly problem: Problem;
    /** True when there is no such file. */
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
