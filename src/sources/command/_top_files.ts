/** A fingerprint of the files at the top of a project: manifests, and scripts that lie beside them. */

import { join } from "node:path";
import { messageOf } from "../../errors.ts";
import { systemPath } from "../../io.ts";
import { fileStamp } from "../../process/folders.ts";
import { sha256 } from "../../text/hash.ts";

/** The contents of files are read up to this sum. */
const maxBytes = 1024 * 1024;

/** SHA-256 over names and contents of the files in `folder`, links followed; of what is large, its size and times. */
export async function topFiles(folder: string): Promise<string> {
  const lines: string[] = [];
  let left = maxBytes;
  try {
    const entries = await Array.fromAsync(Deno.readDir(systemPath(folder)));
    for (const { name } of entries.toSorted((a, b) => a.name < b.name ? -1 : 1)) {
      const path = join(folder, name);
      const info = await Deno.stat(systemPath(path)).catch(() => undefined);
      if (info?.isFile !== true) continue;
      const content = info.size <= left
        ? await Deno.readFile(systemPath(path)).catch(() => undefined)
        : undefined;
      left -= content?.length ?? 0;
      lines.push(`${name}\0${content === undefined ? fileStamp(info) : sha256(content)}`);
    }
  } catch (error) {
    lines.push(messageOf(error));
  }
  return sha256(lines.join("\n"));
}
