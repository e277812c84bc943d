/** How owners share what has a bound: nobody takes the room of others. */

/** What one of several owners has of `all` at most: half, rounded up. */
export function shareOf(all: number): number {
  return Math.ceil(all / 2);
}

/** What each owner holds of `items`, by what `sizeOf` says of an item. */
export function heldBy<Item extends { readonly owner: string }>(
  items: Iterable<Item>,
  sizeOf: (item: Item) => number = () => 1,
): Map<string, number> {
  const held = new Map<string, number>();
  for (const item of items) held.set(item.owner, (held.get(item.owner) ?? 0) + sizeOf(item));
  return held;
}

/** The first of `items`, which begin with the oldest, of the owner who has most by `held`. */
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
