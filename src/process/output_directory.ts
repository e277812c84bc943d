/** Where outputs are kept that were too long for a result. */

import { join } from "node:path";
import { shortHash } from "../text/short_hash.ts";
import { optionalVariable } from "./environment.ts";

const isWindows = Deno.build.os === "windows";

/** The variables that say where temporary files are, and whose they are. */
export const outputVariables: readonly string[] = isWindows
  ? ["TEMP", "USERPROFILE"]
  : ["TMPDIR", "HOME"];

/** A directory below that of temporary files, another one for each home directory. */
export function outputDirectory(): string {
  const [place, home] = outputVariables.map((name) => optionalVariable(name));
  const name = `climax-${shortHash(home ?? "")}`;
  return join(place || (isWindows ? "C:\\Windows\\Temp" : "/tmp"), name);
}
