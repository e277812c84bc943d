/** Defines documents: named things with texts, each with one owner. The ranking does not know what they are. */

/** A program or a server to which documents belong. Its text chooses between owners, not between its documents. */
export interface DocumentOwner {
  readonly name: string;
  /** The purpose of the owner; may be empty. */
  readonly description: string;
  readonly category?: string;
  readonly tags: readonly string[];
}

/** One thing that a search can find. */
export interface Document {
  readonly name: string;
  /** The purpose of the thing; may be empty. */
  readonly description: string;
  /** Owners with the same text are one owner. */
  readonly owner: DocumentOwner;
  readonly parameters: readonly Parameter[];
  /** Requests in everyday words that it answers. */
  readonly examples: readonly string[];
  /** The effect of the thing: it only reads, changes something, or destroys it. Undefined if unknown. */
  readonly effect?: "read" | "write" | "destructive";
}

/** One parameter of a document. */
interface Parameter {
  readonly name: string;
  /** The description of the parameter and its allowed values. */
  readonly texts: readonly string[];
}
