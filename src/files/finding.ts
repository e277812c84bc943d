/** Types of the problems that a check finds in a document, and the places of a text in lines and columns. */

/** Keys and list indexes from the root of a document to a node. */
export type Path = readonly PropertyKey[];

/** A problem that a check found, not yet located in the text. */
export interface Finding {
  readonly path: Path;
  readonly message: string;
  readonly hint?: string;
  /** The finding is dropped if the scalar at `path` is written like this in the file. */
  readonly unlessWritten?: string;
}

/** A document with the keys of climax, and notes on how the keys of another program were read. */
export interface Translation {
  readonly value: unknown;
  readonly notes: readonly Finding[];
  readonly problems?: readonly Finding[];
}

export interface DocumentOptions {
  /** Turns the keys of another program into those of climax, before the schema is applied. */
  readonly translate?: (value: unknown) => Translation;
  /** Checks a value even when it does not fit the schema, so that all problems are reported at once. */
  readonly check?: (value: unknown) => Finding[];
  /** A remedy for an unknown key that resembles no known one. */
  readonly unknownKeyHint?: string;
}

/** Line and column of an offset in `text`, both counted from 1. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - lineStart + 1 };
}

export function placesOf(text: string, offsets: readonly number[]) {
  const starts = [0, ...text.matchAll(/\n/g).map(({ index }) => index + 1)];
  return offsets.map((offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - starts[low]! + 1 };
  });
}
