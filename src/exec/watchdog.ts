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

/** Starts the shell, once; to be called before a program starts. */
export function startWatchdog(): Promise<void> {
  return starting ??= start();
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

/** Has the process with `mark` and its descendants ended if this process is killed before `status` resolves. */
export function watchProcess(mark: string, status: Promise<unknown>): void {
  const tell = (state: string) => {
    watchdog?.write(new TextEncoder().encode(`${state} ${mark}\n`)).catch(() => {});
  };
  tell("begin");
  void status.then(() => tell("end"));
}
