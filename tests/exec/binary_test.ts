import assert from "node:assert/strict";
import { isBinary, mediaTypeOf } from "../../src/exec/binary.ts";

const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

const types: readonly [start: string, type: string | undefined][] = [
  ["\x89PNG\r\n\x1a\n....", "image/png"],
  ["\xff\xd8\xff\xe0", "image/jpeg"],
  ["GIF89a", "image/gif"],
  ["RIFF\x01\x02\x03\x04WEBPVP8 ", "image/webp"],
  ["%PDF-1.7", "application/pdf"],
  ["PK\x03\x04", "application/zip"],
  ["\x1f\x8b\x08", "application/gzip"],
  ["\x7fELF\x02", "application/x-executable"],
  ["\0\0\0\x18ftypmp42", "video/mp4"],
  ["SQLite format 3\0", "application/vnd.sqlite3"],
  ["hello", undefined],
  ["", undefined],
  ["RIFF", undefined],
];

for (const [start, type] of types) {
  Deno.test(`mediaTypeOf() takes ${JSON.stringify(start)} for ${type}`, () => {
    assert.equal(mediaTypeOf(bytes(start)), type);
  });
}

const decode = (text: string) => new TextDecoder().decode(bytes(text));
const rows: readonly [what: string, text: string, type: string | undefined, binary: boolean][] = [
  ["a text", "hello", undefined, false],
  ["names parted by NUL", "a\0b\0", undefined, false],
  ["a text with the letters of a signature", "BM is no picture", "image/bmp", false],
  ["Latin-1", decode("caf\xe9 au lait, s'il vous pla\xeet, et un peu de sucre"), undefined, false],
  ["a picture", decode("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), "image/png", true],
  ["a picture with one odd byte", "BM\ufffd", "image/bmp", true],
  ["bytes and NUL", decode("\x80\0abc defghijklmnopqrstuvwxyz"), undefined, true],
  ["zeros", "\0".repeat(9), undefined, true],
  ["a few names parted by NUL", "a\0b\0c\0", undefined, false],
  ["a few bytes", decode("a\xffb\xfe"), undefined, false],
  ["NUL at the end of what is looked at", `\ufffd${"a".repeat(8190)}\0`, undefined, true],
  ["NUL after it", `\ufffd${"a".repeat(8191)}\0`, undefined, false],
  ["16 bytes", "\ufffd".repeat(16) + "a", undefined, false],
  ["17 bytes", "\ufffd".repeat(17) + "a", undefined, true],
  ["a tenth of bytes", "\ufffd".repeat(20) + "a".repeat(180), undefined, false],
  ["more than a tenth", "\ufffd".repeat(21) + "a".repeat(180), undefined, true],
  ["half zeros without odd bytes", "a\0".repeat(9), undefined, false],
  ["many bytes", decode("\x80\x81\x02\xff\xfea\x90".repeat(5)), undefined, true],
];

for (const [what, text, type, binary] of rows) {
  Deno.test(`isBinary() takes ${what} for ${binary ? "none" : "a text"}`, () => {
    assert.equal(isBinary(text, type), binary);
  });
}
