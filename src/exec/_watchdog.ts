/** Ends the programs of running calls on Linux if this process is killed by SIGKILL: a shell outlives the process. */

import { rootFolder } from "../process/folders.ts";
import { TextWriter } from "../text/lines.ts";
import { ownProgram } from "./find_program.ts";
import { newMark, systemPath } from "./processes.ts";

/** Reads `+ MARK` and `- MARK`, and at the end of the input ends the processes with the marks that are left. */
const script = `open=" "
while read -r state mark; do
  case $state in
    +) open="$open$mark ";;
    -) case $open in *" $mark "*) open="\${open%% $mark *} \${open#* $mark }";; esac;;
  esac
done
[ "\${open# }" ] && for signal in TERM KILL KILL; do
  for mark in $open; do
    for file in $(grep -lsF "$1$mark" /proc/[0-9]*/environ); do
      file=\${file%/environ} && kill -$signal "\${file#/proc/}"
    done
  done
  sleep 1
done`;

let watchdog: TextWriter | "none" | undefined;

/** Ends the processes with `mark` if this process is killed before the returned function is called. */
export async function watchMark(mark: string): Promise<() => void> {
  const shell = watchdog ??= startWatchdog() ?? "none";
  if (shell === "none") return () => {};
  // A part of the random digits tells marks apart. A shell reads one byte at a time, so a short mark saves time
  const own = mark.slice(-24, -16);
  const send = (line: string) => shell.write(`${line} ${own}\n`).catch(() => {});
  // The mark is in the pipe before a program has the mark, so that no program is missed
  await send("+");
  return () => void send("-");
}

function startWatchdog(): TextWriter | undefined {
  if (Deno.build.os !== "linux") return undefined;
  const command = ownProgram("sh");
  if (Deno.permissions.querySync({ name: "run", command }).state !== "granted") return undefined;
  try {
    const child = new Deno.Command(command, {
      args: ["-c", script, "climax-watchdog", newMark().slice(0, -24)],
      cwd: rootFolder,
      clearEnv: true,
      env: { PATH: systemPath },
      stdin: "piped",
      stdout: "null",
      stderr: "null",
      detached: true,
    }).spawn();
    child.unref();
    return new TextWriter(child.stdin.getWriter());
  } catch {
    return undefined;
  }
}
