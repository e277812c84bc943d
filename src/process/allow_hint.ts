/** What somebody can do about a file that Deno keeps this program from. */

import { resolve } from "node:path";
import { sealedContents } from "./build_info.ts";

/** The `flags` that allow the file at `path`, such as `--allow-read`, or that none of them does. */
export function allowHint(path: string, ...flags: readonly string[]): string {
  // Without every permission Deno opens nothing there but a few devices
  if (Deno.build.os === "linux" && /^\/(?:dev|proc|sys)(?:\/|$)/.test(resolve(path))) {
    return "Nothing below /dev, /proc and /sys is opened: name a file elsewhere";
  }
  const allowing = flags.map((flag) => `${flag}=${path}`).join(" ");
  return sealedContents() === undefined ? `Allow it: ${allowing}` : startHint(allowing);
}

/** How this program is given the permissions in `flags`. */
export function startHint(flags: string): string {
  if (sealedContents() === undefined) return `Start it with ${flags}`;
  return "A sealed server has the permissions it was built with: build it again with climax compile";
}
