/**
 * The mark in the environment of the programs of a call. Every process inherits it, whatever its group, session or
 * parent, so that the end of a call finds them all.
 */

import { optionalVariable } from "../process/environment.ts";

/** The variable with the marks: that of the call, after those of outer calls. */
export const markVariable = "CLIMAX_CALL";

/** Most marks of outer calls, when a program of a call is climax again. */
const maxOuterMarks = 8;

/** One mark: process id of the server, its start in seconds since 1970, and a random part. */
const markPattern = /^(\d{1,10})\.(\d{1,12})\.[0-9a-f]{24}$/;

export interface MarkedServer {
  readonly pid: number;
  /** Seconds since 1970. */
  readonly started: number;
}

/** The start of this process, in seconds since 1970. */
const started = Math.floor(performance.timeOrigin / 1000);

let listing: string | undefined;

/** A unique mark. */
export function newMark(): string {
  const random = crypto.getRandomValues(new Uint8Array(12)).toHex();
  return `${Deno.pid}.${started}.${random}`;
}

/** The mark of the process that lists processes: if the listing shows it, it shows others too. */
export function listingMark(): string {
  return listing ??= newMark();
}

/** The value of {@linkcode markVariable} for the programs of a call. */
export function markedWith(mark: string): string {
  const outer = marksIn(optionalVariable(markVariable) ?? "").slice(-maxOuterMarks);
  return [...outer, mark].join(":");
}

/** The valid marks in a value of {@linkcode markVariable}. */
export function marksIn(value: string): string[] {
  return value.split(":").filter((mark) => markPattern.test(mark));
}

export function serverOf(mark: string): MarkedServer {
  const [, pid, started] = markPattern.exec(mark)!;
  return { pid: Number(pid), started: Number(started) };
}
