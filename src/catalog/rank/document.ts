/** Defines what can be ranked: documents, which are named things with texts, and their owners. */

/** What several documents belong to: a program or server. */
export interface DocumentOwner {
  readonly name: string;
  readonly description: string;
  readonly category?: string;
  readonly tags: readonly string[];
}

export interface Document {
  readonly name: string;
  readonly description: string;
  /** Owners with equal texts count as one owner. */
  readonly owner: DocumentOwner;
  readonly parameters: readonly Parameter[];
  /** Requests in everyday words for which the document is the right answer. */
  readonly examples: readonly string[];
  readonly effect?: "read" | "write" | "destructive";
}

interface Parameter {
  readonly name: string;
  readonly texts: readonly string[];
}
