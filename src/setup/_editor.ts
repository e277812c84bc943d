/** Edits a client's file in place, with one editor for each format. */

/** The key of the servers, and the name of one. */
export type EntryPath = readonly [key: string, name: string];

/** An editor of one format. Comments, order and line ends stay. */
export interface Editor {
  /** Parses a text; an empty one is an empty object. @throws when it is invalid */
  parse(text: string): unknown;
  /** Puts `entry` at `path`, in place of the one that may be there. */
  put(text: string, path: EntryPath, entry: unknown): string;
  /** Removes the entry at `path`; `undefined` when there is none. The map that it was in stays. */
  without(text: string, path: EntryPath): string | undefined;
}
