/** Takes the best few of many without sorting them all. */

/** The `count` items of greatest score, best first; of equals the smaller number first. */
export function selectBest(
  items: readonly number[],
  count: number,
  scores: Float64Array,
): number[] {
  const isWorse = (a: number, b: number) =>
    scores[a]! < scores[b]! || scores[a] === scores[b] && a > b;
  const byScore = (a: number, b: number) => scores[b]! - scores[a]! || a - b;
  if (count >= items.length) return [...items].sort(byScore);
  const heap = items.slice(0, count);
  for (let at = (count >> 1) - 1; at >= 0; at--) sink(heap, at, isWorse);
  for (let at = count; at < items.length; at++) {
    if (!isWorse(heap[0]!, items[at]!)) continue;
    heap[0] = items[at]!;
    sink(heap, 0, isWorse);
  }
  return heap.sort(byScore);
}

/** Restores the heap, whose worst item is on top, below `at`. */
function sink(heap: number[], at: number, isWorse: (a: number, b: number) => boolean): void {
  const item = heap[at]!;
  while (true) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isWorse(heap[child + 1]!, heap[child]!)) child++;
    if (!isWorse(heap[child]!, item)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = item;
}
