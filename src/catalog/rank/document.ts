/** What is ranked: named things with texts, each of one owner. Nothing here knows what they are. */

/** What documents belong to: a program, a server. Its text chooses between owners, never within one. */
export interface DocumentOwner {
  readonly name: string;
  /** May be empty. */
  readonly description: string;
  readonly category?: string;
  readonly tags: readonly string[];
}

/** One thing that can be found. */
export interface Document {
  readonly name: string;
  /** May be empty. */
  readonly description: string;
  /** Owners with the same text are the same. */
  readonly owner: DocumentOwner;
  readonly parameters: readonly Parameter[];
  /** Requests that it answers, in people's words. */
  readonly examples: readonly string[];
  /** Whether it only tells, changes something, or destroys it; absent: not known. */
  readonly effect?: "read" | "write" | "destructive";
}

/** One parameter of a document. */
export interface Parameter {
  readonly name: string;
  /** Its description and the values that it may have. */
  readonly texts: readonly string[];
}
