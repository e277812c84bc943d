/** Lists the processes of this machine by `ps`, since Deno allows `/proc` only with all permissions. */

import { log } from "../log.ts";
import { rootFolder } from "../process/folders.ts";
import { ownProgram } from "./find_program.ts";
import { optionalVariable } from "../io.ts";

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

/** The folders in which Linux has its programs, where PATH must not choose one. */
export const systemPath = "/usr/bin:/bin:/run/current-system/sw/bin";

/** A line may have this many characters before it ends; `ps` itself cuts at 128 KiB. */
const maxLineLength = 256 * 1024;

/** Options of `ps` for the columns that {@linkcode parseProcess} reads; the variables follow the last column. */
const linuxArguments = ["eww", "-A", "-o"];
const linuxColumns = "pid,ppid,pgid,sid,stat,tty,comm";

/** BSD and macOS have no session that could be compared; the group takes its place. */
const otherArguments = ["-A", "-E", "-ww", "-o"];
const otherColumns = "pid,ppid,pgid,pgid,stat,tty,command";

/** Every process inherits the marks in this variable: first those of outer calls, then that of the call. */
export const markVariable = "CLIMAX_CALL";

/** The text in front of the marks in the variables of a process, as `ps` prints them. */
const assignment = ` ${markVariable}=`;

/** At most this many characters of a value are searched for marks. */
const maxMarksLength = 1024;

type Listing = Promise<readonly Process[] | undefined>;

let running: Promise<unknown> = Promise.resolve();
let next: Listing | undefined;

/** Returns all processes; `undefined` if they cannot be listed. Callers share a listing that has not begun. */
export function processes(): Listing {
  return next ??= running.then(() => {
    next = undefined;
    const listing = list();
    running = listing;
    return listing;
  });
}

async function list(): Listing {
  const isLinux = Deno.build.os === "linux";
  const columns = (isLinux ? linuxColumns : otherColumns).replaceAll(/\w+/g, "$&=");
  const args = [...(isLinux ? linuxArguments : otherArguments), columns];
  try {
    const child = new Deno.Command(ownProgram("ps"), {
      args,
      cwd: rootFolder,
      // `ps` lists itself with this mark, which shows whether the marks of other processes are visible as well
      env: { [markVariable]: listingMark(), LC_ALL: "C" },
      signal: AbortSignal.timeout(limitMs),
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const found: Process[] = [];
    for await (const line of linesOf(child.stdout)) {
      const process = parseProcess(line);
      if (process !== undefined) found.push(process);
    }
    const { success } = await child.status;
    return success && found.length > 0 ? found : undefined;
  } catch {
    return undefined;
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  // A variable may have any bytes. In this encoding each byte is one character
  const decoder = new TextDecoder("latin1");
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk)).split("\n");
    rest = lines.pop()!.slice(0, maxLineLength);
    yield* lines;
  }
  yield rest;
}

/** Returns the process of a line; `undefined` for a zombie. */
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
    marks: marksOf(line, head.length),
  };
}

/** Returns all marks of a line: a program may have set an earlier variable that looks like the real one, to hide it. */
function marksOf(line: string, from: number): string[] {
  const marks: string[] = [];
  let at = line.indexOf(assignment, from);
  while (at !== -1) {
    at += assignment.length;
    const value = /^\S*/.exec(line.slice(at, at + maxMarksLength))![0];
    marks.push(...parseMarks(value));
    at = line.indexOf(assignment, at);
  }
  return marks;
}

/** A process above this one. */
interface Ancestor {
  readonly pid: number;
  /** The words of the command line; where only `ps` shows the process, only the first word. */
  readonly words: readonly string[];
  /** True if the process was started with the mark of a call. */
  readonly isMarked: boolean;
}

/**
 * Returns the processes above this one, the nearest first; nothing if they cannot be seen. On Linux it reads /proc by a
 * shell of the system: PATH may come from the process that is looked for.
 */
export async function ancestors(): Promise<readonly Ancestor[] | undefined> {
  const found: Ancestor[] = [];
  if (Deno.build.os === "linux") {
    for (let pid = Deno.ppid; pid > 0 && found.every((each) => each.pid !== pid);) {
      const parent = /^.*\) \S (\d+) /s.exec(await systemText(pid, "stat"))?.[1];
      // Another user's process may be hidden
      if (parent === undefined) break;
      const words = (await systemText(pid, "cmdline")).split("\0").slice(0, -1);
      const variables = `\0${await systemText(pid, "environ")}`;
      found.push({ pid, words, isMarked: variables.includes(`\0${markVariable}=`) });
      pid = Number(parent);
    }
    // Without a parent id, the parent lies outside of the container of this process
    if (found.length > 0 || Deno.ppid === 0) return found;
  }
  const all = new Map((await processes())?.map((each) => [each.pid, each]));
  for (let next = all.get(Deno.ppid); next && found.every(({ pid }) => pid !== next!.pid);) {
    found.push({ pid: next.pid, words: [next.name], isMarked: next.marks.length > 0 });
    next = all.get(next.parent);
  }
  return all.size === 0 ? undefined : found;
}

/** Reads a file of /proc, for which Deno itself needs all permissions; empty if it cannot be read. */
async function systemText(pid: number, name: string): Promise<string> {
  try {
    const { stdout } = await new Deno.Command("/bin/sh", {
      args: ["-c", `cat /proc/${pid}/${name}`],
      cwd: rootFolder,
      clearEnv: true,
      env: { PATH: systemPath },
      stdin: "null",
      stderr: "null",
    }).output();
    return new TextDecoder().decode(stdout);
  } catch {
    return "";
  }
}

/** A program of a call may be climax itself, which passes on at most this many marks of outer calls. */
const maxOuterMarks = 8;

/** Matches a mark: process id of the server, its start in seconds since 1970, and a random part. */
const markPattern = /^(\d{1,10})\.(\d{1,12})\.[0-9a-f]{24}$/;

const started = Math.floor(performance.timeOrigin / 1000);

export function newMark(): string {
  const random = crypto.getRandomValues(new Uint8Array(12)).toHex();
  return `${Deno.pid}.${started}.${random}`;
}

let listing: string | undefined;

/** Returns the mark of the process that lists processes. A listing that shows this mark shows other marks too. */
function listingMark(): string {
  return listing ??= newMark();
}

/** Returns the value of {@linkcode markVariable} for the programs of a call. */
export function variableOfMark(mark: string): string {
  const outer = parseMarks(optionalVariable(markVariable) ?? "").slice(-maxOuterMarks);
  return [...outer, mark].join(":");
}

function parseMarks(value: string): string[] {
  return value.split(":").filter((mark) => markPattern.test(mark));
}

/** True when marks alone find all processes of a call. */
let marksSuffice = false;

export function needsSession(): boolean {
  return !marksSuffice && Deno.build.os !== "windows";
}

/** Lists the processes, and detects whether marks are shown; nothing if they cannot be listed. */
export async function surveyProcesses(): Promise<readonly Process[] | undefined> {
  const all = await processes();
  const self = all?.find(({ pid }) => pid === Deno.pid);
  marksSuffice = all !== undefined && self?.hasTerminal === false &&
    all.some(({ marks }) => marks.includes(listingMark()));
  return all;
}

export interface Root {
  readonly pid: number;
  readonly mark: string;
  readonly leads: boolean;
  /** Returns whether the process is known to have ended: its id may belong to another process then. */
  readonly hasEnded: () => boolean;
}

/** Returns the processes of the call of `root`; `undefined` if they cannot be listed. */
export async function listMembers(root: Root): Promise<readonly Process[] | undefined> {
  const all = await processes();
  if (all !== undefined) return membersOf(root, all);
  // No marks are visible without a listing, so they must not be relied on
  marksSuffice = false;
  warnUnlisted();
  return undefined;
}

let isWarned = false;

/** Logs once that programs of a call may keep running after it, since they cannot be listed. */
function warnUnlisted(): void {
  if (isWarned) return;
  isWarned = true;
  log(
    "warning",
    "'ps' cannot be run: background processes that a tool starts may keep running after its call. " +
      "Install procps; where --allow-run names programs, name ps too",
  );
}

/**
 * Returns the processes with the mark, those of the session, and their descendants.
 * A process with the id of a root that has ended is another process, or the root has ended during the listing, which
 * the next listing shows. Group and session are not compared then: the system gives no id again while a group or a
 * session has it.
 */
export function membersOf(root: Root, all: readonly Process[]): readonly Process[] {
  const isAnother = root.hasEnded() && all.some(({ pid }) => pid === root.pid);
  return withDescendants(all, ({ pid, group, session, marks }) => {
    if (marks.includes(root.mark)) return true;
    if (isAnother) return false;
    return pid === root.pid || (root.leads && (group === root.pid || session === root.pid));
  });
}

/** Returns the `chosen` processes of `all` and their descendants, without this process. */
function withDescendants(
  all: readonly Process[],
  chosen: (process: Process) => boolean,
): readonly Process[] {
  const children = Map.groupBy(all, ({ parent }) => parent);
  const found = new Set(all.filter(chosen));
  // The loop also visits items that are added during it
  for (const { pid } of found) {
    for (const child of children.get(pid) ?? []) found.add(child);
  }
  return [...found].filter(({ pid }) => pid !== Deno.pid);
}
