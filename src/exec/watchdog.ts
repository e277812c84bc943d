/**
 * Ends the programs of running calls when this process is killed: a shell of its own session reads their marks from a
 * pipe, whose end is the end of this process, and looks for them in `/proc`. It takes Linux and the right to run `sh`;
 * elsewhere `orphans.ts` finds them at the next start.
 */

import { rootFolder } from "../process/folders.ts";
import { ownProgram } from "./find_program.ts";

const script = `open=" "
while read -r state mark; do
  case $state in
    begin) open="$open$mark " ;;
    end) open="\${open%% $mark *} \${open#* $mark }" ;;
  esac
done
[ "\${open# }" ] && for signal in TERM KILL KILL; do
  for mark in $open; do
    for file in $(grep -lsF "$mark" /proc/[0-9]*/environ); do
      file=\${file%/environ}
      kill -$signal "\${file#/proc/}"
    done
  done
  sleep 1
done`;

type Writer = WritableStreamDefaultWriter<Uint8Array>;

let watchdog: Promise<Writer | undefined> | undefined;

/** Has the process with `mark` ended, with its descendants, if this process is killed before `status` resolves. */
export function watchProcess(mark: string, status: Promise<unknown>): void {
  if (Deno.build.os !== "linux") return;
  watchdog ??= startWatchdog();
  const tell = (state: string) => {
    const line = new TextEncoder().encode(`${state} ${mark}\n`);
    // Killed by others, it is missed only by those that are killed later
    void watchdog!.then((writer) => writer?.write(line)).catch(() => {});
  };
  tell("begin");
  void status.then(() => tell("end"));
}

async function startWatchdog(): Promise<Writer | undefined> {
  const command = await ownProgram("sh");
  if (Deno.permissions.querySync({ name: "run", command }).state !== "granted") return undefined;
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
  return child.stdin.getWriter();
}
