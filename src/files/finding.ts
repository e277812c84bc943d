/** What is wrong with a value of a document, and where in it. */

/** Keys and list positions from the top of a document to one of its nodes. */
export type Path = readonly PropertyKey[];

/** A problem that a check found, before it has a line. */
export interface Finding {
  readonly path: Path;
  readonly message: string;
  readonly hint?: string;
  /** The finding holds only where the text of the scalar at `path` is another than this. */
  readonly unlessWritten?: string;
}

/** Settings of `readDocument`. */
export interface DocumentOptions {
  /** Further checks of a value that may not fit the schema, so that all problems come at once. */
  readonly check?: (value: unknown) => Finding[];
  /** What to do about a key that is not near to any, where there is something. */
  readonly unknownKeyHint?: string;
}
