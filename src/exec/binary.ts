/** Detects binary output, and names its kind. */

export interface Binary {
  readonly mediaType?: string;
  /** The whole output; absent if some of its bytes were omitted. */
  readonly data?: Uint8Array;
}

const maxChecked = 8192;

/** A long text is binary if more than this share of its characters are invalid or control characters. */
const share = 0.1;

/** Up to this many invalid or control characters do not make a text binary: it may be in another encoding. */
const tolerated = 16;

export function isBinary(text: string, mediaType: string | undefined): boolean {
  const head = text.slice(0, maxChecked);
  const zeros = head.split("\0").length - 1;
  if (!text.includes("\ufffd")) return zeros > head.length / 2;
  if (mediaType !== undefined) return true;
  if (zeros > 0) return true;
  // deno-lint-ignore no-control-regex
  const odd = head.match(/[\x01-\x06\x0e-\x1a\x1c-\x1f\x7f\ufffd]/g) ?? [];
  return odd.length > Math.max(tolerated, share * head.length);
}

const signatures: readonly (readonly [signature: string, mediaType: string])[] = [
  ["\x89PNG\r\n\x1a\n", "image/png"],
  ["\xff\xd8\xff", "image/jpeg"],
  ["GIF87a", "image/gif"],
  ["GIF89a", "image/gif"],
  ["%PDF-", "application/pdf"],
  ["PK\x03\x04", "application/zip"],
  ["\x1f\x8b", "application/gzip"],
  ["\x7fELF", "application/x-executable"],
  ["SQLite format 3\0", "application/vnd.sqlite3"],
];

export function mediaTypeOf(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 16));
  const known = signatures.find(([signature]) => head.startsWith(signature));
  if (known !== undefined) return known[1];
  if (head.startsWith("RIFF") && head.startsWith("WEBP", 8)) return "image/webp";
  return head.startsWith("ftyp", 4) ? "video/mp4" : undefined;
}
