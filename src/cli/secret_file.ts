/** Files with a secret on each line, of tokens and of keys. */

import { FileError } from "../errors.ts";
import { readTextFile } from "../files/text_file.ts";
import { withLock, writeWhole } from "../files/write_file.ts";

/**
 * Adds the line that `make` returns for the text of `file`, which is empty if it is missing. A new file is for its owner
 * alone. It is written whole: a partly written line would make it invalid, and lock out every client in it.
 *
 * @throws {ClimaxError} with `failure` if it cannot be read
 */
export async function addSecret(file: string, failure: string, make: (before: string) => string) {
  await withLock(file, async () => {
    const read = await readTextFile(file);
    if (!read.ok && !read.isMissing) throw new FileError(failure, read.problem);
    const before = read.ok ? read.text : "";
    const start = before === "" || before.endsWith("\n") ? before : `${before}\n`;
    await writeWhole(file, `${start}${make(before)}\n`, before === "" ? { mode: 0o600 } : {});
  });
}
