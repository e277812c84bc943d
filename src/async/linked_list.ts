/**
 * What is in progress, in the order in which it began. A `Set` that changes with each request makes tables for it, of
 * which V8 collects the old ones seldom; each refers to the next one, so all stay, with the requests in them.
 */

interface Node<Item> {
  readonly item?: Item;
  previous?: Node<Item> | undefined;
  next?: Node<Item> | undefined;
}

export class LinkedList<Item> {
  /** Before the first and after the last. */
  readonly #end: Node<Item> = {};
  size = 0;

  constructor() {
    this.#end.previous = this.#end.next = this.#end;
  }

  /** Returns a function that removes `item`, and returns whether it was there. */
  add(item: Item): () => boolean {
    const node: Node<Item> = { item, previous: this.#end.previous, next: this.#end };
    this.#end.previous = this.#end.previous!.next = node;
    this.size++;
    return () => {
      if (node.next === undefined) return false;
      node.previous!.next = node.next;
      node.next.previous = node.previous;
      // It refers to nothing that is younger
      node.previous = node.next = undefined;
      this.size--;
      return true;
    };
  }

  /** Those that are there now, whatever becomes of them meanwhile. */
  [Symbol.iterator](): ArrayIterator<Item> {
    const items: Item[] = [];
    for (let node = this.#end.next!; node !== this.#end; node = node.next!) items.push(node.item!);
    return items.values();
  }
}
