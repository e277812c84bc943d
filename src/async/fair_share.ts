/** Shares what is bounded among owners, so that no owner uses the part of others. */

/** Most that one of several owners may have of `all`: half, rounded up. */
export function shareOf(all: number): number {
  return Math.ceil(all / 2);
}

/** The sum of `sizeOf` for each owner. */
export function heldBy<Item extends { readonly owner: string }>(
  items: Iterable<Item>,
  sizeOf: (item: Item) => number = () => 1,
): Map<string, number> {
  const held = new Map<string, number>();
  for (const item of items) held.set(item.owner, (held.get(item.owner) ?? 0) + sizeOf(item));
  return held;
}

/** The oldest item of the owner that has most by `held`; `items` start with the oldest. */
export function oldestOfLargest<Item extends { readonly owner: string }>(
  items: Iterable<Item>,
  held: ReadonlyMap<string, number>,
): Item | undefined {
  let [found, most]: [Item | undefined, number] = [undefined, -1];
  for (const item of items) {
    const size = held.get(item.owner) ?? 0;
    if (size > most) [found, most] = [item, size];
  }
  return found;
}
