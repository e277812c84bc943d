/**
 * The mark that a call's programs carry in their environment. Every process inherits it, whatever
 * group, session or parent it has, so that the end of a call finds them all again.
 */

import { optionalVariable } from "../process/environment.ts";

/** The variable that holds the marks: that of the call, after those of calls around it. */
export const markVariable = "CLIMAX_CALL";

/** Marks kept of the calls around one, when a program of a call is climax again. */
const maxOuterMarks = 8;

/** One mark: the server's process id, its start in seconds since 1970, and what is random. */
const markPattern = /^(\d{1,10})\.(\d{1,12})\.[0-9a-f]{24}$/;

/** The server that a mark names. */
export interface MarkedServer {
  readonly pid: number;
  /** Seconds since 1970. */
  readonly started: number;
}

/** When this process started, in seconds since 1970. */
const started = Math.floor(performance.timeOrigin / 1000);

let outer: readonly string[] | undefined;
let listing: string | undefined;

/** A mark that no other call has or had. */
export function newMark(): string {
  const random = crypto.getRandomValues(new Uint8Array(12)).toHex();
  return `${Deno.pid}.${started}.${random}`;
}

/** The mark of the program that lists processes: where it is seen, so are those of calls. */
export function listingMark(): string {
  return listing ??= newMark();
}

/** What {@linkcode markVariable} is set to for the programs of a call. */
export function markedWith(mark: string): string {
  outer ??= marksIn(optionalVariable(markVariable) ?? "").slice(-maxOuterMarks);
  return [...outer, mark].join(":");
}

/** The marks in a value of {@linkcode markVariable}; what is none is left out. */
export function marksIn(value: string): string[] {
  return value.split(":").filter((mark) => markPattern.test(mark));
}

/** The server whose call a mark stands for. */
export function serverOf(mark: string): MarkedServer {
  const [, pid, started] = markPattern.exec(mark)!;
  return { pid: Number(pid), started: Number(started) };
}
