/**
 * Writes `src/text/_token_tables.ts`: which characters and pairs of characters are one token of o200k_base,
 * a bit each. An estimate needs no more of its two hundred thousand tokens to distinguish words from noise.
 */

import { countTokens, decode } from "gpt-tokenizer/encoding/o200k_base";

/** Blocks of characters, which may be tokens. */
const characters = [
  ["signs", 0x80, 0x33ff],
  ["han", 0x4e00, 0x9fff],
  ["hangul", 0xac00, 0xd7a3],
  ["forms", 0xf900, 0xffff],
] as const;

/** Alphabets, whose pairs may be tokens. */
const alphabets = [
  ["greek", 0x370, 0x3ff],
  ["cyrillic", 0x410, 0x45f],
  ["hebrew", 0x5d0, 0x5ea],
  ["arabic", 0x620, 0x652],
  ["devanagari", 0x900, 0x97f],
  ["thai", 0xe00, 0xe5b],
] as const;

/** Tokens of o200k_base, and the number that must have three letters in a row for these to be common. */
const tokenCount = 199_998;
const leastWords = 20;

/** A bit for each three letters: whether words contain them, as far as tokens are words. */
function wordLetters(): string {
  const counts = new Uint16Array(26 ** 3);
  for (let id = 0; id < tokenCount; id++) {
    const word = decode([id]).trim().toLowerCase();
    if (!/^[a-z]{3,}$/.test(word)) continue;
    const letters = [...word].map((letter) => letter.charCodeAt(0) - 0x61);
    for (let at = 2; at < letters.length; at++) {
      counts[(letters[at - 2]! * 26 + letters[at - 1]!) * 26 + letters[at]!]!++;
    }
  }
  return packed([...counts].map((count) => count >= leastWords));
}

function bitsOf(texts: readonly string[]): string {
  return packed(texts.map((text) => countTokens(text) === 1));
}

function packed(flags: readonly boolean[]): string {
  const bytes = new Uint8Array(Math.ceil(flags.length / 8));
  for (const [at, flag] of flags.entries()) if (flag) bytes[at >> 3]! |= 1 << (at & 7);
  return (bytes as Uint8Array & { toBase64(): string }).toBase64();
}

function range(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at));
}

const rows = [
  ...characters.map(([name, first, last]) => {
    return `  { name: "${name}", first: ${first}, last: ${last}, isPairs: false, bits:\n` +
      `    "${bitsOf(range(first, last))}" },`;
  }),
  ...alphabets.map(([name, first, last]) => {
    const all = range(first, last);
    const pairs = all.flatMap((one) => all.map((other) => one + other));
    return `  { name: "${name}", first: ${first}, last: ${last}, isPairs: true, bits:\n` +
      `    "${bitsOf(pairs)}" },`;
  }),
];

await Deno.writeTextFile(
  "src/text/_token_tables.ts",
  `/** Made by build/token_tables.ts: which characters, or pairs of characters, are one token of o200k_base. */

/** A range of characters, with a bit for each of them, or for each pair. */
export interface TokenTable {
  readonly name: string;
  readonly first: number;
  readonly last: number;
  readonly isPairs: boolean;
  /** Base64, the lowest bit of a byte first. */
  readonly bits: string;
}

/** The ranges for which the difference matters. */
export const tokenTables: readonly TokenTable[] = [
${rows.join("\n")}
];

/** Sequences of three letters, a to z, that occur in words: a bit for each. */
export const wordLetters =
  "${wordLetters()}";
`,
);
