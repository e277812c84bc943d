/** Lists the processes of this machine by `ps`, since Deno allows `/proc` only with all permissions. */

import { log } from "../log.ts";
import { rootFolder } from "../process/folders.ts";
import { ask } from "./ask_program.ts";
import { ownProgram } from "./find_program.ts";
import { optionalVariable } from "../io.ts";
import { TextWriter } from "../text/lines.ts";

/** A process that is not a zombie. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly hasTerminal: boolean;
  readonly name: string;
  readonly marks: readonly string[];
}

const limitMs = 5000;

/** The PATH for programs of Linux that climax needs, since the person's PATH may lead to other programs. */
export const systemPath = "/usr/bin:/bin:/run/current-system/sw/bin";

export const markVariable = "CLIMAX_CALL";

const assignment = new RegExp(` ${markVariable}=(\\S{0,1024})`, "g");

type Listing = Promise<readonly Process[] | undefined>;

let running: Promise<unknown> = Promise.resolve();
let next: Listing | undefined;

export function processes(): Listing {
  return next ??= running.then(() => {
    next = undefined;
    const listing = list();
    running = listing;
    return listing;
  });
}

async function list(): Listing {
  const args = Deno.build.os === "linux"
    ? ["eww", "-A", "-o", "pid=,ppid=,pgid=,sid=,stat=,tty=,comm="]
    : ["-A", "-E", "-ww", "-o", "pid=,ppid=,pgid=,pgid=,stat=,tty=,command="];
  try {
    const child = new Deno.Command(ownProgram("ps"), {
      args,
      cwd: rootFolder,
      // `ps` lists itself with `listingMark`. If that is missing, the marks of other processes are not visible either
      env: { [markVariable]: listingMark, LC_ALL: "C" },
      signal: AbortSignal.timeout(limitMs),
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const found: Process[] = [];
    // A variable may have any bytes, so they are read as latin1, in which each byte is one character
    const decoder = new TextDecoder("latin1");
    let rest = "";
    for await (const chunk of child.stdout) {
      const lines = (rest + decoder.decode(chunk)).split("\n");
      rest = lines.pop()!;
      found.push(...lines.flatMap((line) => parseProcess(line) ?? []));
    }
    const { success } = await child.status;
    return success && found.length > 0 ? found : undefined;
  } catch {
    return undefined;
  }
}

export function parseProcess(line: string): Process | undefined {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s/.exec(line);
  if (match === null) return undefined;
  const [head, pid, parent, group, session, state, terminal] = match;
  if (state!.startsWith("Z")) return undefined;
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    hasTerminal: !/^[?-]/.test(terminal!),
    name: /^\S+/.exec(line.slice(head.length).trimStart().slice(0, 200))?.[0] ?? "?",
    // A program may set the variable a second time to hide its mark, so all values of the variable are read
    marks: [...line.slice(head.length).matchAll(assignment)].flatMap(([, value]) => {
      return parseMarks(value!);
    }),
  };
}

interface Ancestor {
  readonly pid: number;
  readonly words: readonly string[];
  /** True if the process was started with the mark of a call. */
  readonly isMarked: boolean;
}

export async function ancestors(): Promise<readonly Ancestor[] | undefined> {
  const found: Ancestor[] = [];
  if (Deno.build.os === "linux") {
    for (let pid = Deno.ppid; pid > 0 && found.every((each) => each.pid !== pid);) {
      const parent = /^.*\) \S (\d+) /s.exec(await systemText(pid, "stat"))?.[1];
      // The list ends at a process that is hidden because it belongs to another user
      if (parent === undefined) break;
      const words = (await systemText(pid, "cmdline")).split("\0").slice(0, -1);
      const variables = `\0${await systemText(pid, "environ")}`;
      found.push({ pid, words, isMarked: variables.includes(`\0${markVariable}=`) });
      pid = Number(parent);
    }
    // The parent id is 0 if the parent is outside of this container, so nothing is missing
    if (found.length > 0 || Deno.ppid === 0) return found;
  }
  const all = new Map((await processes())?.map((each) => [each.pid, each]));
  for (let next = all.get(Deno.ppid); next && found.every(({ pid }) => pid !== next!.pid);) {
    found.push({ pid: next.pid, words: [next.name], isMarked: next.marks.length > 0 });
    next = all.get(next.parent);
  }
  return all.size === 0 ? undefined : found;
}

async function systemText(pid: number, name: string): Promise<string> {
  const args = ["-c", `cat /proc/${pid}/${name}`];
  const env = { PATH: systemPath };
  return (await ask("/bin/sh", args, rootFolder, env, { clearEnv: true })).stdout;
}

const maxOuterMarks = 8;

/** A mark is the process id of the server, its start in seconds since 1970, and a random part. */
const markPattern = /^(\d{1,10})\.(\d{1,12})\.[0-9a-f]{24}$/;

const started = Math.floor(performance.timeOrigin / 1000);

export function newMark(): string {
  const random = crypto.getRandomValues(new Uint8Array(12)).toHex();
  return `${Deno.pid}.${started}.${random}`;
}

/** The mark of the process that lists processes. A listing that shows this mark shows other marks too. */
const listingMark = newMark();

export function variableOfMark(mark: string): string {
  const outer = parseMarks(optionalVariable(markVariable) ?? "").slice(-maxOuterMarks);
  return [...outer, mark].join(":");
}

function parseMarks(value: string): string[] {
  return value.split(":").filter((mark) => markPattern.test(mark));
}

let marksSuffice = false;

export function needsSession(): boolean {
  return !marksSuffice && Deno.build.os !== "windows";
}

export async function surveyProcesses(): Promise<readonly Process[] | undefined> {
  const all = await processes();
  const self = all?.find(({ pid }) => pid === Deno.pid);
  marksSuffice = all !== undefined && self?.hasTerminal === false &&
    all.some(({ marks }) => marks.includes(listingMark));
  return all;
}

export interface Root {
  readonly pid: number;
  readonly mark: string;
  readonly leads: boolean;
  /** Returns whether the program of the call is known to have ended; another process may then have its id. */
  readonly hasEnded: () => boolean;
}

export async function listMembers(root: Root): Promise<readonly Process[] | undefined> {
  const all = await processes();
  if (all !== undefined) return membersOf(root, all);
  marksSuffice = false;
  if (isWarned) return undefined;
  isWarned = true;
  log(
    "warning",
    "'ps' cannot be run: background processes that a tool starts may keep running after its call. " +
      "Install procps; where --allow-run names programs, name ps too",
  );
  return undefined;
}

let isWarned = false;

/** Returns the processes with the mark of a call, those of its session, and their descendants. */
export function membersOf(root: Root, all: readonly Process[]): readonly Process[] {
  const isAnother = root.hasEnded() && all.some(({ pid }) => pid === root.pid);
  const chosen = all.filter(({ pid, group, session, marks }) => {
    if (marks.includes(root.mark)) return true;
    if (isAnother) return false;
    return pid === root.pid || (root.leads && (group === root.pid || session === root.pid));
  });
  const children = Map.groupBy(all, ({ parent }) => parent);
  const found = new Set(chosen);
  // A loop over a set also visits items that its body adds, so it finds children of children too
  for (const { pid } of found) {
    for (const child of children.get(pid) ?? []) found.add(child);
  }
  return [...found].filter(({ pid }) => pid !== Deno.pid);
}

/** A shell program that reads `+ MARK` and `- MARK`; if climax is killed, it ends the processes of all open marks. */
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
  const own = mark.slice(-24, -16);
  const send = (line: string) => shell.write(`${line} ${own}\n`).catch(() => {});
  // The shell that watches gets the mark before the program starts, so that it misses no program
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
