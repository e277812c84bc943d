/** A text that must not be written anywhere; it prints as `***`. */

/** Replacement of a secret in a text. */
const mask = "***";

/** Shorter texts are not credentials, and masking them would remove common words. */
const minLength = 6;

/** Only {@linkcode Secret.reveal} returns it. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Only for the request that needs it. */
  reveal(): string {
    return this.#text;
  }

  /** Removes this secret from `text`, also in its JSON and URL forms. */
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
