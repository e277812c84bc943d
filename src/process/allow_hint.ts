/** Returns the remedy for a file that Deno does not let this program open. */

import { resolve } from "node:path";
import { sealedContents } from "./build_info.ts";

/** The `flags` that allow the file at `path`, such as `--allow-read`, or that none of them does. */
export function allowHint(path: string, ...flags: readonly string[]): string {
  // Without every permission Deno opens nothing there but a few devices
  if (Deno.build.os === "linux" && /^\/(?:dev|proc|sys)(?:\/|$)/.test(resolve(path))) {
    return "Files in /dev, /proc and /sys are not opened: name another file";
  }
  const allowing = flags.map((flag) => `${flag}=${path}`).join(" ");
  return sealedContents() === undefined ? `Allow it: ${allowing}` : startHint(allowing);
}

/** How this program is given the permissions in `flags`. */
export function startHint(flags: string): string {
  if (sealedContents() === undefined) return `Start it with ${flags}`;
  return "A sealed server has the permissions it was built with: build it again with climax compile";
}
