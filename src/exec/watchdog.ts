/**
 * Ends the programs of running calls when this process is killed: a shell reads their marks from a pipe, which ends then,
 * and looks for them in `/proc`. It takes Linux and the right to run `sh`; elsewhere `orphans.ts` finds them later.
 */

import { rootFolder } from "../process/folders.ts";
import { ownProgram } from "./find_program.ts";

const script = `open=" "
while read -r state mark; do
  [ $state = begin ] && open="$open$mark " || open="\${open%% $mark *} \${open#* $mark }"
done
[ "\${open# }" ] && for signal in TERM KILL KILL; do
  for mark in $open; do
    for file in $(grep -lsF "$mark" /proc/[0-9]*/environ); do
      file=\${file%/environ} && kill -$signal "\${file#/proc/}"
    done
  done
  sleep 1
done`;

let watchdog: WritableStreamDefaultWriter<Uint8Array> | undefined;
let starting: Promise<void> | undefined;

/** Has the processes with `mark` ended if this process is killed before the function that it returns is called. */
export async function watchMark(mark: string): Promise<() => void> {
  await (starting ??= start());
  // The shell has it before a program has
  await tell(`begin ${mark}`);
  return () => void tell(`end ${mark}`);
}

async function tell(line: string): Promise<void> {
  await watchdog?.write(new TextEncoder().encode(`${line}\n`)).catch(() => {});
}

async function start(): Promise<void> {
  if (Deno.build.os !== "linux") return;
  const command = await ownProgram("sh");
  if (Deno.permissions.querySync({ name: "run", command }).state !== "granted") return;
  try {
    const child = new Deno.Command(command, {
      args: ["-c", script, "climax-watchdog"],
      cwd: rootFolder,
      clearEnv: true,
      env: { PATH: "/usr/bin:/bin:/run/current-system/sw/bin" },
      stdin: "piped",
      stdout: "null",
      stderr: "null",
      detached: true,
    }).spawn();
    child.unref();
    watchdog = child.stdin.getWriter();
  } catch {
    // There is no shell
  }
}
