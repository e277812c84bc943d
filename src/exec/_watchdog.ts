/**
 * A shell that outlives this process on Linux. Without it, the programs of running calls keep running when this process
 * is killed by SIGKILL, because then no code of it runs any more.
 */

import { rootFolder } from "../process/folders.ts";
import { TextWriter } from "../text/lines.ts";
import { ownProgram } from "./find_program.ts";
import { newMark, systemPath } from "./processes.ts";

/** No pipe has room for this many bytes: the watchdog blocks in its write until they are read, and no mark wakes it. */
const blockBytes = 70_000;

/**
 * Reads `+ MARK` and `- MARK` into a list of the marks that are in use. After the end of its input, which is the end of
 * this process, it ends the processes whose environment has one of the marks.
 */
const script = `open=" "
trap "" PIPE
while read -r state mark; do
  case $state in
    +) open="$open$mark ";;
    -) case $open in *" $mark "*) open="\${open%% $mark *} \${open#* $mark }";; esac;;
    *) printf %${blockBytes}s;;
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

let watchdog: { readonly input: TextWriter; readonly output: ReadableStreamBYOBReader } | undefined;
let lines = 0;

/** The smallest pipe has room for this many lines, after which the watchdog is woken to read them. */
const maxLines = 100;

/** Ends the processes with `mark` if this process is killed before the returned function is called. */
export async function watchMark(mark: string): Promise<() => void> {
  if (lines === 0) startWatchdog();
  // A part of the random digits tells marks apart. A shell reads one byte at a time, so a short mark saves time
  const own = mark.slice(-24, -16);
  // The mark is in the pipe before a program has the mark, so that no program is missed
  await send(`+ ${own}`);
  return () => void send(`- ${own}`);
}

async function send(line: string): Promise<void> {
  const isFull = ++lines % maxLines === 0;
  const { input, output } = watchdog ?? {};
  const written = input?.write(isFull ? `${line}\n=\n` : `${line}\n`);
  if (isFull) output?.read(new Uint8Array(blockBytes), { min: blockBytes }).catch(() => {});
  await written?.catch(() => {});
}

function startWatchdog(): void {
  if (Deno.build.os !== "linux") return;
  const command = ownProgram("sh");
  if (Deno.permissions.querySync({ name: "run", command }).state !== "granted") return;
  try {
    const child = new Deno.Command(command, {
      args: ["-c", script, "climax-watchdog", newMark().slice(0, -24)],
      cwd: rootFolder,
      clearEnv: true,
      env: { PATH: systemPath },
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
      detached: true,
    }).spawn();
    child.unref();
    const input = new TextWriter(child.stdin.getWriter());
    watchdog = { input, output: child.stdout.getReader({ mode: "byob" }) };
    void input.write("=\n");
  } catch {
    // Without a shell, there is no watchdog
  }
}
