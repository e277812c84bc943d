/** Defines what the ranking works on: documents, which are named things with texts, and their owners. */

/** A program or server to which documents belong. Its text chooses between owners, not between their documents. */
export interface DocumentOwner {
  readonly name: string;
  /** The purpose of the owner; may be empty. */
  readonly description: string;
  readonly category?: string;
  readonly tags: readonly string[];
}

export interface Document {
  readonly name: string;
  /** The purpose of the thing; may be empty. */
  readonly description: string;
  /** Owners with equal texts count as one owner. */
  readonly owner: DocumentOwner;
  readonly parameters: readonly Parameter[];
  /** Requests in everyday words that the document answers. */
  readonly examples: readonly string[];
  /** What the thing does at worst; absent if that is not known. */
  readonly effect?: "read" | "write" | "destructive";
}

interface Parameter {
  readonly name: string;
  /** The description of the parameter and its allowed values. */
  readonly texts: readonly string[];
}
