/** Defines the text of a file together with the name by which messages mention the file. */

export interface NamedText {
  /** The path as the user wrote it, or a name such as `bundled:git`. */
  readonly file: string;
  readonly text: string;
}
