/** Cuts a text that costs too many tokens to its beginning and its end, at line ends where it has lines. */

import { costsNoMore, estimateTokens } from "./tokens.ts";

/** The kept parts of a text, and the size of the gap between them. */
export interface CutText {
  readonly head: string;
  readonly tail: string;
  /** Whole lines in front of the gap and behind it; absent when a line itself was cut. */
  readonly lines?: { readonly head: number; readonly tail: number };
}

/** Cuts `text` to about `maxTokens`, half of them for each end; `undefined` when it costs no more. */
export function cutToTokens(text: string, maxTokens: number): CutText | undefined {
  if (costsNoMore(text, maxTokens) || estimateTokens(text, maxTokens) <= maxTokens) {
    return undefined;
  }
  const half = maxTokens / 2;
  const head = takeLines(text, half, forwards);
  const tail = takeLines(text.slice(head.end), half, backwards);
  const end = text.length - tail.end;
  if (head.isWhole && tail.isWhole) {
    return {
      head: text.slice(0, head.end).replace(/\n$/, ""),
      tail: text.slice(end),
      lines: { head: head.lines, tail: tail.lines },
    };
  }
  return { head: text.slice(0, head.end).toWellFormed(), tail: text.slice(end).toWellFormed() };
}

/** The longest beginning of `text` in whole lines, or in characters when the first line is too long. */
export function headOf(text: string, maxTokens: number): string {
  return text.slice(0, takeLines(text, maxTokens, forwards).end).toWellFormed();
}

/** One end of a text. */
interface Taken {
  /** UTF-16 code units. */
  readonly end: number;
  readonly lines: number;
  /** True when no line was cut. */
  readonly isWhole: boolean;
}

/** A direction to read a text in: finds the end of the line at `at`, and a part by its distances. */
interface Direction {
  next(text: string, at: number): number;
  part(text: string, from: number, to: number): string;
}

const forwards: Direction = {
  next(text, at) {
    const found = text.indexOf("\n", at);
    return found === -1 ? text.length : found + 1;
  },
  part: (text, from, to) => text.slice(from, to),
};

/** Distances are from the end; a line begins behind a line feed. */
const backwards: Direction = {
  next(text, at) {
    const before = text.length - at - 2;
    const found = before < 0 ? -1 : text.lastIndexOf("\n", before);
    return found === -1 ? text.length : text.length - found - 1;
  },
  part: (text, from, to) => text.slice(text.length - to, text.length - from),
};

function takeLines(text: string, room: number, { next, part }: Direction): Taken {
  let left = room;
  let end = 0;
  let lines = 0;
  while (end < text.length) {
    const line = next(text, end);
    const cost = costWithin(part(text, end, line), left);
    if (cost > left) {
      // A line that would leave most of the room empty is cut instead
      if (left < room / 2) return { end, lines, isWhole: true };
      return { end: end + lengthWithin(part, text, end, line, left), lines, isWhole: false };
    }
    left -= cost;
    end = line;
    lines++;
  }
  return { end, lines, isWhole: true };
}

/** Returns the cost of `text`; `Infinity` when it is certain to exceed `room`. */
function costWithin(text: string, room: number): number {
  // No token is longer than this on average, blanks aside
  return text.length > 2000 + room * 200 ? Infinity : estimateTokens(text, room);
}

/** The number of characters of a line that fit. */
function lengthWithin(
  part: Direction["part"],
  text: string,
  from: number,
  to: number,
  room: number,
): number {
  let fits = 0;
  let step = to - from;
  while (step > 0) {
    const length = fits + step;
    if (from + length <= to && costWithin(part(text, from, from + length), room) <= room) {
      fits = length;
    }
    step >>= 1;
  }
  return fits;
}
