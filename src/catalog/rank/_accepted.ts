/** What a filter leaves of a catalogue. */

/** The documents that a filter lets through. */
export interface Accepted {
  readonly documents: readonly number[];
  /** 1 for those documents, by document. */
  readonly mask: Uint8Array;
}

/** Those of `documentCount` documents for which `accept`. */
export function findAccepted(
  documentCount: number,
  accept: (document: number) => boolean,
): Accepted {
  const mask = new Uint8Array(documentCount);
  const documents: number[] = [];
  for (let document = 0; document < documentCount; document++) {
    if (!accept(document)) continue;
    mask[document] = 1;
    documents.push(document);
  }
  return { mask, documents };
}
