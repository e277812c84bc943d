/** A text that is already loaded, with its name in messages. */

export interface NamedText {
  /** A path as the user wrote it, or a name such as `bundled:git`. */
  readonly file: string;
  readonly text: string;
}
