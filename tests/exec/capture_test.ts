import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "../_properties.ts";
import { BoundedBytes, Capture } from "../../src/exec/capture.ts";
import { codePageDecoder } from "../../src/text/code_page.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function kept(chunks: readonly Uint8Array[], keep: number): BoundedBytes {
  const bytes = new BoundedBytes(keep);
  for (const chunk of chunks) bytes.append(chunk);
  return bytes;
}

/** What BoundedBytes must say of ASCII, the slow way. */
function model(text: string, keep: number): string {
  if (text.length <= 2 * keep) return text;
  const omitted = (text.length - 2 * keep).toLocaleString("en-US");
  const tail = keep === 0 ? "" : text.slice(-keep);
  return `${text.slice(0, keep)}\n[… ${omitted} bytes omitted …]\n${tail}`;
}

/** `bytes` cut at places that may coincide. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length];
  let start = 0;
  return ends.toSorted((a, b) => a - b).map((end) => bytes.subarray(start, start = end));
}

const ascii = fc.string({ unit: "grapheme-ascii", maxLength: 400, size: "max" });
const places = fc.array(fc.nat(), { maxLength: 12, size: "max" });

Deno.test("BoundedBytes keeps the first and the last bytes of ASCII, however it is cut", () => {
  fc.assert(
    fc.property(ascii, places, fc.nat({ max: 120 }), (text, places, keep) => {
      const bytes = kept(cut(encoder.encode(text), places), keep);
      assert.equal(bytes.text(), model(text, keep));
      assert.equal(bytes.total, text.length);
    }),
    { numRuns: 2000 },
  );
});

const boundaries: readonly [text: string, keep: number, shown: string][] = [
  ["aé€😀zzzz", 2, "a\n[… 11 bytes omitted …]\nzz"],
  ["aé€😀zzzz", 3, "aé\n[… 8 bytes omitted …]\nzzz"],
  ["aaaa€€aaaa", 5, "aaaa\n[… 6 bytes omitted …]\naaaa"],
  ["aaaa€€aaaa", 6, "aaaa\n[… 6 bytes omitted …]\naaaa"],
  ["aaaa€€aaaa", 7, "aaaa€€aaaa"],
  ["😀😀😀", 5, "😀\n[… 4 bytes omitted …]\n😀"],
];

for (const [text, keep, shown] of boundaries) {
  Deno.test(`BoundedBytes keeps ${keep} bytes of each end of '${text}' between characters`, () => {
    assert.equal(kept([encoder.encode(text)], keep).text(), shown);
  });
}

Deno.test("BoundedBytes keeps the bytes of a chunk that is used again", () => {
  const bytes = new BoundedBytes(3);
  const chunk = new Uint8Array(2);
  for (const letter of "abcdefgh") {
    chunk.fill(letter.charCodeAt(0));
    bytes.append(chunk);
  }
  assert.equal(bytes.text(), "aab\n[… 10 bytes omitted …]\nghh");
});

Deno.test("Capture of a stream that breaks is what was read before", async () => {
  let pulls = 0;
  const stream = new ReadableStream({
    type: "bytes",
    pull(controller) {
      if (pulls++ > 0) throw new Error("broken pipe");
      controller.enqueue(encoder.encode("half"));
    },
  });
  const captured = new Capture(stream, { keep: 1024 });
  await captured.done;
  assert.deepEqual(captured.result(), { text: "half", bytes: 4 });
});

Deno.test("Capture releases a stream that does not end", async () => {
  const first = Promise.withResolvers<void>();
  let cancelled = false;
  const stream = new ReadableStream({
    type: "bytes",
    start: (controller) => controller.enqueue(encoder.encode("some")),
    cancel: () => void (cancelled = true),
  });
  const captured = new Capture(stream, { keep: 1024, onChunk: () => first.resolve() });
  await first.promise;
  await captured.release();
  await captured.done;
  assert.equal(cancelled, true);
  assert.deepEqual(captured.result(), { text: "some", bytes: 4 });
});

Deno.test("BoundedBytes gives what overflows all bytes from the start, once there is more than it keeps", () => {
  const spilt: string[] = [];
  const write = (chunk: Uint8Array) => void spilt.push(decoder.decode(chunk));
  let count = 0;
  const bytes = new BoundedBytes(3, () => (count++, { write }));
  const after = ["abcd", "ef", "g", "hi"].map((chunk) => {
    bytes.append(encoder.encode(chunk));
    return spilt.join("");
  });
  assert.deepEqual([after, count], [["", "", "abcdefg", "abcdefghi"], 1]);
});

Deno.test("BoundedBytes has binary data with its type, where it has the whole", () => {
  const [start, end] = ["\x89PNG\r\n\x1a\n\0", "\0\xff"].map((text) => {
    return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  }) as [Uint8Array, Uint8Array];
  const binaryOf = (chunks: Uint8Array[], keep: number) => kept(chunks, keep).result().binary;
  const data = Buffer.concat([start, end]);
  assert.deepEqual(binaryOf([start, end], 9), { mediaType: "image/png", data });
  assert.deepEqual(binaryOf([start, start], 8), { mediaType: "image/png" });
  assert.deepEqual(binaryOf([end, end, end], 9), { data: Buffer.concat([end, end, end]) });
  assert.equal(binaryOf([encoder.encode("text")], 9), undefined);
});

Deno.test("Capture converts a code page to its end", async () => {
  const bytes = Uint8Array.from("plain \xd0", (letter) => letter.charCodeAt(0));
  const options = { keep: 100, decoder: (await codePageDecoder(850))!() };
  const captured = new Capture(new Blob([bytes]).stream(), options);
  await captured.done;
  assert.equal(captured.result().text, "plain ð");
});

Deno.test("Capture reads to the end and says how much there was", async () => {
  const stream = new Blob(["one ", "two"]).stream();
  const seen: Uint8Array[] = [];
  const onChunk = (chunk: Uint8Array) => void seen.push(chunk.slice());
  const captured = new Capture(stream, { keep: 1024, onChunk });
  await captured.done;
  assert.deepEqual(captured.result(), { text: "one two", bytes: 7 });
  assert.equal(decoder.decode(Buffer.concat(seen)), "one two");
});

Deno.test("BoundedBytes tells whether there was more than it keeps", () => {
  const isCut = (text: string) => kept([encoder.encode(text)], 4).result().isCut ?? false;
  assert.deepEqual(["", "1234", "12345678", "123456789", "é".repeat(5)].map(isCut), [
    false,
    false,
    false,
    true,
    true,
  ]);
});
