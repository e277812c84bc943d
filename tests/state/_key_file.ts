/** A file of signing keys. */

import { randomBytes } from "node:crypto";

/** A line of one. */
export function randomKey(): string {
  return randomBytes(32).toString("base64");
}

/** Writes a file of `keys` that its owner alone can read; returns its path. */
export function keyFile(folder: string, keys: readonly string[] = [randomKey()]): string {
  const path = `${folder}/signing.key`;
  Deno.writeTextFileSync(path, keys.map((key) => `${key}\n`).join(""), { mode: 0o600 });
  return path;
}
