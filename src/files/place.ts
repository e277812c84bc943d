/** Converts offsets in a text to lines and columns for people and editors. */

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
