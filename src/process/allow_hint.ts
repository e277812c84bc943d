/** Returns the remedy for a file that Deno does not let this program open. */

import { resolve } from "node:path";

/** The `flags` that allow the file at `path`, such as `--allow-read`, or that none of them does. */
export function allowHint(path: string, ...flags: readonly string[]): string {
  // Without every permission Deno opens nothing there but a few devices
  if (Deno.build.os === "linux" && /^\/(?:dev|proc|sys)(?:\/|$)/.test(resolve(path))) {
    return "Files in /dev, /proc and /sys are not opened: name another file";
  }
  return `Allow it: ${flags.map((flag) => `${flag}=${path}`).join(" ")}`;
}
