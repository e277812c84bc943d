/**
 * A file of vectors, so that a text is embedded once. Whatever is wrong with it, it counts as empty:
 * nothing is lost but time.
 *
 * Format: 8 bytes of name and version, then as 32-bit numbers (little-endian) the dimension and the
 * count, then for each text its key, then for each text its vector in bytes.
 */

import { dirname } from "node:path";
import { removeOldest, replaceFile } from "../../files/write_file.ts";

/** Vectors in bytes by the key of the text, all of one dimension. */
export type CachedVectors = Map<string, Int8Array>;

const magic = new TextEncoder().encode("climaxV1");
const headerLength = magic.length + 8;
const keyLength = 32;
/** Larger files are not read: 1 GiB. */
const maxFileBytes = 1024 * 1024 * 1024;

/** Files of vectors in one folder, one for each server and model; the oldest go first. */
const maxFiles = 8;

/** The key of a text as a model sees it. */
export async function keyOf(model: string, text: string): Promise<string> {
  const bytes = new TextEncoder().encode(`${model}\0${text}`);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** What the file at `path` holds. */
export async function readCache(path: string): Promise<CachedVectors> {
  const vectors: CachedVectors = new Map();
  try {
    if ((await Deno.stat(path)).size > maxFileBytes) return vectors;
    const bytes = await Deno.readFile(path);
    const view = new DataView(bytes.buffer);
    if (!magic.every((byte, place) => bytes[place] === byte)) return vectors;
    const dimension = view.getUint32(magic.length, true);
    const count = view.getUint32(magic.length + 4, true);
    if (bytes.length !== headerLength + count * (keyLength + dimension)) return vectors;
    const values = headerLength + count * keyLength;
    for (let text = 0; text < count; text++) {
      const key = bytes.subarray(headerLength + text * keyLength).subarray(0, keyLength).toHex();
      vectors.set(key, new Int8Array(bytes.buffer, values + text * dimension, dimension));
    }
  } catch {
    vectors.clear();
  }
  return vectors;
}

/** Replaces the file at `path`, at once: a reader meanwhile sees the old or the new one. */
export async function writeCache(path: string, vectors: CachedVectors): Promise<void> {
  const [first] = vectors.values();
  const dimension = first?.length ?? 0;
  const bytes = new Uint8Array(headerLength + vectors.size * (keyLength + dimension));
  bytes.set(magic);
  const view = new DataView(bytes.buffer);
  view.setUint32(magic.length, dimension, true);
  view.setUint32(magic.length + 4, vectors.size, true);
  const values = headerLength + vectors.size * keyLength;
  let text = 0;
  for (const [key, vector] of vectors) {
    bytes.set(Uint8Array.fromHex(key), headerLength + text * keyLength);
    bytes.set(
      new Uint8Array(vector.buffer, vector.byteOffset, dimension),
      values + text * dimension,
    );
    text++;
  }
  await Deno.mkdir(dirname(path), { recursive: true });
  await replaceFile(path, bytes, { mode: 0o600 });
  // What else somebody keeps in the folder is not ours to remove
  await removeOldest(dirname(path), maxFiles, /^[0-9a-f]{64}\.bin/);
}
