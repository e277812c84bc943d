/**
 * Asks the programs of a sandbox to end, as those of a plain call are asked. The process that is started only watches:
 * a signal to it would end everything at once. So a shell, without which there is no sandbox, follows the lists of
 * children that the kernel has; neither `ps` nor `kill` is needed.
 */

import { rootFolder } from "../process/folders.ts";
import { ownProgram } from "./own_programs.ts";

/** Signals everything below the process of its argument; it fails where nothing is found. */
const script = `found=
walk() {
  for list in /proc/"$1"/task/*/children; do
    children=
    read -r children <"$list"
    found="$found $children"
    for each in $children; do walk "$each"; done
  done
}
walk "$1"
set -- $found
[ $# -gt 1 ] && { kill -TERM "$@"; kill -CONT "$@"; }`;

/** Sends SIGTERM to all processes of a sandbox, at most for `limitMs`; false if none was found. */
export async function terminateSandbox(pid: number, limitMs: number): Promise<boolean> {
  try {
    const { success } = await new Deno.Command(await ownProgram("sh"), {
      args: ["-c", script, "sh", String(pid)],
      cwd: rootFolder,
      stdin: "null",
      stdout: "null",
      stderr: "null",
      signal: AbortSignal.timeout(limitMs),
    }).spawn().status;
    return success;
  } catch {
    // Without permission, or without a place in the table of processes
    return false;
  }
}
