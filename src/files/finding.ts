/** Types of the problems that a check finds in a document; converts offsets in a text to lines and columns. */

export type Path = readonly PropertyKey[];

export interface Finding {
  readonly path: Path;
  readonly message: string;
  readonly hint?: string;
  readonly unlessWritten?: string;
}

export function findingsAt(path: Path, findings: Finding[] = []) {
  const add = (key: string, message: string, hint?: string) => {
    findings.push({ path: [...path, key], message, ...(hint === undefined ? {} : { hint }) });
  };
  return { findings, add };
}

export interface Translation {
  readonly value: unknown;
  readonly notes: readonly Finding[];
  readonly problems?: readonly Finding[];
}

export interface DocumentOptions {
  /** Turns keys of CLImax 0.5 into those of climax, before the schema is applied. */
  readonly translate?: (value: unknown) => Translation;
  readonly check?: (value: unknown) => Finding[];
  readonly unknownKeyHint?: string;
}

export function placeOf(text: string, offset: number): { line: number; column: number } {
  return placesOf(text, [offset])[0]!;
}

/** Returns the line and column of each of `offsets`, both counted from 1. */
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
