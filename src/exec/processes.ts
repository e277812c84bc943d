/**
 * What runs on this machine, as `ps` lists it with everybody's parent and marks. Deno shows `/proc`
 * to nobody without every permission, so it is not read even where it could be.
 */

import { rootFolder } from "../process/folders.ts";
import { listingMark, marksIn, markVariable } from "./mark.ts";
import { ownProgram } from "./own_programs.ts";

/** A process that is not a zombie. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly user: string;
  /** Seconds since its start. */
  readonly age: number;
  readonly hasTerminal: boolean;
  /** Which space its id belongs to, where the system says so: containers have others. */
  readonly space: string;
  readonly name: string;
  readonly marks: readonly string[];
}

/** Milliseconds that a listing may take. */
const limitMs = 5000;

/** Characters kept of a line that has not ended: `ps` itself cuts at 128 KiB. */
const maxLineLength = 256 * 1024;

/** Columns in the order {@linkcode processIn} takes them; the variables follow the last one. */
const linuxArguments = ["eww", "-A", "-o"];
const linuxColumns = "pid,ppid,pgid,sid,uid,stat,etime,tty,pidns,comm";

/** BSD and macOS have no session and no space of ids that could be compared: others stand in. */
const otherArguments = ["-A", "-E", "-ww", "-o"];
const otherColumns = "pid,ppid,pgid,pgid,uid,stat,etime,tty,uid,command";

/** How the marks begin among the variables. */
const assignment = ` ${markVariable}=`;

/** Characters of a value in which marks are looked for. */
const maxMarksLength = 1024;

type Listing = Promise<readonly Process[] | undefined>;

let running: Promise<unknown> = Promise.resolve();
let next: Listing | undefined;

/**
 * All processes, or nothing when they cannot be listed. Whoever asks until a listing begins shares
 * it, so it is never older than the question, and there is one at a time.
 */
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
    const child = new Deno.Command(await ownProgram("ps"), {
      args,
      cwd: rootFolder,
      // Its own line shows whether marks can be seen here at all
      env: { [markVariable]: listingMark(), LC_ALL: "C" },
      signal: AbortSignal.timeout(limitMs),
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const found: Process[] = [];
    for await (const line of linesOf(child.stdout)) {
      const process = processIn(line);
      if (process !== undefined) found.push(process);
    }
    const { success } = await child.status;
    return success && found.length > 0 ? found : undefined;
  } catch {
    return undefined;
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  // Any bytes may stand in a variable, and each is a character here
  const decoder = new TextDecoder("latin1");
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!.slice(0, maxLineLength);
    yield* lines;
  }
  if (rest !== "") yield rest;
}

/** The process that a line of the listing is about; nothing for a zombie. */
export function processIn(line: string): Process | undefined {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+([\d:-]+)\s+(\S+)\s+(\S+)\s/
    .exec(line);
  if (match === null) return undefined;
  const [head, pid, parent, group, session, user, state, age, terminal, space] = match;
  if (state!.startsWith("Z")) return undefined;
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    user: user!,
    age: secondsOf(age!),
    hasTerminal: !/^[?-]/.test(terminal!),
    space: space!,
    name: /^\S+/.exec(line.slice(head.length).trimStart().slice(0, 200))?.[0] ?? "?",
    marks: marksOf(line, head.length),
  };
}

/** All of them: a variable before the real one may look like it, to hide it. */
function marksOf(line: string, from: number): string[] {
  const marks: string[] = [];
  let start = line.indexOf(assignment, from);
  while (start !== -1) {
    start += assignment.length;
    const value = /^\S*/.exec(line.slice(start, start + maxMarksLength))![0];
    marks.push(...marksIn(value));
    start = line.indexOf(assignment, start);
  }
  return marks;
}

/** Seconds of `[[DAYS-]HOURS:]MINUTES:SECONDS`, as POSIX has it. */
function secondsOf(elapsed: string): number {
  const [, days = "0", time] = /^(?:(\d+)-)?(.*)$/.exec(elapsed)!;
  return time!.split(":").reduce((sum, part) => sum * 60 + Number(part), 0) +
    Number(days) * 86_400;
}
