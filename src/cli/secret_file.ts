/** Files with a secret on each line, of tokens and of keys. */

import { FileError } from "../errors.ts";
import { readTextFile } from "../files/text_file.ts";
import { writeWhole } from "../files/write_file.ts";

/** The text of `file`; empty if it is missing. @throws {ClimaxError} with `failure` if it cannot be read */
export async function textOfSecrets(file: string, failure: string): Promise<string> {
  const read = await readTextFile(file);
  if (!read.ok && !read.isMissing) throw new FileError(failure, read.problem);
  return read.ok ? read.text : "";
}

/**
 * Adds `line` to `file`, whose text is `before`. A new file is for its owner alone. It is written whole: a
 * partly written line would make it invalid, and lock out every client in it.
 */
export async function addSecret(file: string, line: string, before: string): Promise<void> {
  const start = before === "" || before.endsWith("\n") ? before : `${before}\n`;
  await writeWhole(file, `${start}${line}\n`, before === "" ? { mode: 0o600 } : {});
}
