/**
 * Cuts values for the audit log: an agent that can fill the disk with one call can stop all calls. A cut value
 * has its length and hash, so that the whole can be recognised.
 */

import { endWithin } from "../text/utf8.ts";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";

/** Most UTF-8 bytes of a text. */
const maxTextBytes = 4096;

/** Most items of a list, and most keys of a map. */
export const maxItems = 1000;

/**
 * Cuts long texts and lists in `value`, a value of JSON, and adds the length and the SHA-256 of the whole; of a
 * list, of its JSON.
 */
export function cutValue(value: unknown): unknown {
  if (typeof value === "string") return cutText(value);
  if (Array.isArray(value)) return cutList(value);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).slice(0, maxItems);
  return Object.fromEntries(entries.map(([key, inner]) => [cutText(key), cutValue(inner)]));
}

function cutText(text: string): string {
  // No UTF-16 code unit takes more than three bytes
  if (text.length * 3 <= maxTextBytes) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= maxTextBytes) return text;
  const kept = bytes.subarray(0, endWithin(bytes, maxTextBytes)).toString();
  return `${kept}… [${bytes.length} bytes, sha256 ${hash(bytes)}]`;
}

function cutList(list: readonly unknown[]): unknown[] {
  const kept = list.slice(0, maxItems).map(cutValue);
  if (list.length <= maxItems) return kept;
  const whole = Buffer.from(JSON.stringify(list));
  return [...kept, `… [${list.length} items, sha256 ${hash(whole)}]`];
}

function hash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
