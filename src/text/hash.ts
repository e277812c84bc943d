/** Fingerprints of texts. */

import { createHash } from "node:crypto";

/** SHA-256 of `text` in UTF-8, as 64 hexadecimal digits. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
