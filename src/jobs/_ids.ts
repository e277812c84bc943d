/** Ids that a client gets for what is kept for it, and that nobody else finds by trying. */

/** Those that are told apart at a glance (Crockford's base 32). */
const letters = "0123456789abcdefghjkmnpqrstvwxyz";

/** `prefix` and 60 random bits. */
export function newId(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return prefix + Array.from(bytes, (byte) => letters[byte % 32]).join("");
}
