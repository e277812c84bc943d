/** Names the remedy when Deno does not let this program open a file. */

import { resolve } from "node:path";
import { systemPath } from "../io.ts";
import { sealedContents } from "./build_info.ts";

/** Names the `flags` that allow the file at `path`, such as `--allow-read`, or says that none does. */
export function allowHint(path: string, ...flags: readonly string[]): string {
  // There Deno opens only a few devices, unless it has every permission
  if (Deno.build.os === "linux" && /^\/(?:dev|proc|sys)(?:\/|$)/.test(resolve(systemPath(path)))) {
    return "Files in /dev, /proc and /sys are not opened: name another file";
  }
  const allowing = flags.map((flag) => `${flag}=${path}`).join(" ");
  return sealedContents() === undefined ? `Allow it: ${allowing}` : startHint(allowing);
}

/** Says how this program is started with the permissions in `flags`. */
export function startHint(flags: string): string {
  if (sealedContents() === undefined) return `Start it with ${flags}`;
  return "A sealed server has the permissions it was built with: build it again with climax compile";
}
