/** What edits a file of a client in place, one for each way such files are written. */

/** The key of the servers, and the name of one. */
export type EntryPath = readonly [key: string, name: string];

/** An editor of one format. Texts keep their comments, their order and their line ends. */
export interface Editor {
  /** The value of a text; an empty one is an empty object. @throws when it is wrong */
  parse(text: string): unknown;
  /** `text` with `entry` at `path`, in the place of the one that may be there. */
  put(text: string, path: EntryPath, entry: unknown): string;
  /**
   * What `text` may have been before {@linkcode put}, the shortest first; none where there is no entry
   * at `path`. The last one takes out the entry and nothing else.
   */
  without(text: string, path: EntryPath): readonly string[];
}
