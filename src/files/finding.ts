/** A problem with a value of a document, and its path. */

/** Keys and list indexes from the root of a document to a node. */
export type Path = readonly PropertyKey[];

/** A problem that a check found, not yet located in the text. */
export interface Finding {
  readonly path: Path;
  readonly message: string;
  readonly hint?: string;
  /** The finding is void when the text of the scalar at `path` is this one. */
  readonly unlessWritten?: string;
}

export interface DocumentOptions {
  /** Checks a value even when it does not fit the schema, so that all problems are reported at once. */
  readonly check?: (value: unknown) => Finding[];
  /** A remedy for an unknown key that is not near a known one. */
  readonly unknownKeyHint?: string;
}
