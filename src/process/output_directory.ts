/** The directory of stored outputs. */

import { join } from "node:path";
import { shortHash } from "../text/short_hash.ts";
import { optionalVariable } from "./environment.ts";

const isWindows = Deno.build.os === "windows";

/** The variables that name the folder of temporary files and the home directory. */
export const outputVariables: readonly string[] = isWindows
  ? ["TEMP", "USERPROFILE"]
  : ["TMPDIR", "HOME"];

/** A directory in the folder of temporary files, a different one for each home directory. */
export function outputDirectory(): string {
  const [place, home] = outputVariables.map((name) => optionalVariable(name));
  const name = `climax-${shortHash(home ?? "")}`;
  return join(place || (isWindows ? "C:\\Windows\\Temp" : "/tmp"), name);
}
