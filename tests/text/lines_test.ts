import assert from "node:assert/strict";
import fc from "../_properties.ts";
import { splitLines } from "../../src/text/lines.ts";

/** The lines of `chunks` as text. */
async function linesOf(chunks: readonly Uint8Array[], maxBytes: number): Promise<string[]> {
  const reader = ReadableStream.from(chunks).getReader();
  const lines: string[] = [];
  for await (const line of splitLines(reader, maxBytes)) {
    lines.push(line === "oversized" ? "<oversized>" : new TextDecoder().decode(line));
  }
  return lines;
}

const rows: readonly [text: string, maxBytes: number, lines: string[]][] = [
  ["", 9, []],
  ["a", 9, ["a"]],
  ["a\n", 9, ["a"]],
  ["a\nb", 9, ["a", "b"]],
  ["\n\na\n\n", 9, ["a"]],
  ["a\r\nb\r\n", 9, ["a\r", "b\r"]],
  ["abc\nabcd\nabc\n", 3, ["abc", "<oversized>", "abc"]],
  ["abcd", 3, ["<oversized>"]],
  ["é€\n", 5, ["é€"]],
  ["é€\n", 4, ["<oversized>"]],
];

for (const [text, maxBytes, lines] of rows) {
  Deno.test(`splitLines() splits ${JSON.stringify(text)} with ${maxBytes} bytes a line`, async () => {
    const bytes = new TextEncoder().encode(text);
    assert.deepEqual(await linesOf([bytes], maxBytes), lines);
    const single = [...bytes].map((byte) => Uint8Array.of(byte));
    assert.deepEqual(await linesOf(single, maxBytes), lines);
  });
}

Deno.test("splitLines() finds the same lines however the bytes arrive", async () => {
  const text = fc.array(fc.constantFrom("\n", "a", "bc", "é", "😀", "\r"), {
    maxLength: 60,
    size: "max",
  })
    .map((parts) => parts.join(""));
  const places = fc.array(fc.nat(), { maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(text, places, fc.nat({ max: 20 }), async (text, places, maxBytes) => {
      const bytes = new TextEncoder().encode(text);
      const ends = places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b);
      const chunks = [0, ...ends].map((start, index) => bytes.subarray(start, ends[index]));
      const lines = text.split("\n").filter((line) => line !== "");
      const expected = lines.map((line) => {
        return new TextEncoder().encode(line).length > maxBytes ? "<oversized>" : line;
      });
      assert.deepEqual(await linesOf(chunks, maxBytes), expected);
    }),
    { numRuns: 500 },
  );
});

Deno.test("splitLines() lets the event loop turn within a chunk of many lines", async () => {
  const count = 10_000;
  const reader = ReadableStream.from([new TextEncoder().encode(" \n".repeat(count))]).getReader();
  let turns = 0;
  const turn = () => {
    turns++;
    timer = setImmediate(turn);
  };
  let timer = setImmediate(turn);
  let lines = 0;
  for await (const _ of splitLines(reader, 9)) lines++;
  clearImmediate(timer);
  assert.equal(lines, count);
  assert.ok(turns >= count / 1000, `${turns} turns`);
});

Deno.test("splitLines() keeps the bytes of a line and not the chunks that they came in", async () => {
  const chunk = new Uint8Array(64 * 1024);
  const text = "one line in pieces\n";
  // The same memory each time
  const pieces = new TextEncoder().encode(text).values().map((byte) => {
    chunk[0] = byte;
    return chunk.subarray(0, 1);
  });
  const stream = ReadableStream.from(pieces);
  const lines = await Array.fromAsync(splitLines(stream.getReader(), 100));
  assert.deepEqual(lines.map((line) => new TextDecoder().decode(line as Uint8Array)), [
    text.trim(),
  ]);
});
