/** A text with its name in messages, from any origin. */

/** A text that is already loaded. */
export interface NamedText {
  /** A path as the user wrote it, or a name such as `bundled:git`. */
  readonly file: string;
  readonly text: string;
}
