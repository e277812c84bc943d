/** Ids of what is stored for a client; another client cannot guess them. */

/** Letters that cannot be confused (base 32 of Crockford). */
const letters = "0123456789abcdefghjkmnpqrstvwxyz";

/** `prefix` and 60 random bits. */
export function newId(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return prefix + Array.from(bytes, (byte) => letters[byte % 32]).join("");
}

/** Returns whether `text` can be such an id: others are not asked for. */
export function isId(text: string, prefix: string): boolean {
  return text.length === prefix.length + 12 && text.startsWith(prefix) &&
    /^[0-9a-z]+$/.test(text.slice(prefix.length));
}
