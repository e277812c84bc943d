/** A text that must not be written anywhere, in a box that prints as `***`. */

/** Replacement of a secret in a text. */
const mask = "***";

/** Shorter texts are no credentials, and would be masked out of everything. */
const minLength = 6;

/** A secret text. Only {@linkcode Secret.reveal} hands it out. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text itself, for the one request it is made for. */
  reveal(): string {
    return this.#text;
  }

  /** `text` without this secret, as it is and as it stands in JSON and in URLs. */
  redact(text: string): string {
    if (this.#text.length < minLength) return text;
    const forms = [
      this.#text,
      JSON.stringify(this.#text).slice(1, -1),
      encodeURIComponent(this.#text),
    ];
    return forms.reduce((rest, form) => rest.replaceAll(form, mask), text);
  }

  toString(): string {
    return mask;
  }

  toJSON(): string {
    return mask;
  }

  [Symbol.for("Deno.customInspect")](): string {
    return mask;
  }
}
