/**
 * Values as the audit log has them: long ones cut, with what it takes to recognise the whole. A log
 * that an agent can fill is one that it can end.
 */

import { endWithin } from "../text/utf8.ts";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";

/** UTF-8 bytes of a text that are written: 4 KiB. */
const maxTextBytes = 4096;

/** Items of a list, and keys of a map, that are written. */
export const maxItems = 1000;

/**
 * `value`, a value of JSON, with long texts and lists cut. What was cut is told by its length and
 * the SHA-256 of the whole, a list's as its JSON.
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
