/**
 * Counts the tokens of characters beyond ASCII: one for a character that is a token itself, else one for
 * each of its bytes. Letters that often follow each other in a language are one token.
 */

import { type TokenTable, tokenTables } from "./_token_tables.ts";

/** Tokens of a character that is not a token itself, by the last character of each block. */
const costs: readonly (readonly [last: number, cost: number])[] = [
  [0x7ff, 2],
  [0x8ff, 3],
  [0xeff, 2],
  [0xfff, 2.3],
  [0x10ff, 2],
  [0x11ff, 3],
  [0x137f, 2],
  [0x177f, 3],
  [0x17ff, 2],
  [0x1cff, 3],
  [0x1dff, 2.8],
  [0x1fff, 2.3],
  [0x218f, 2],
  [0x24ff, 2.35],
  [0x27bf, 2.15],
  [0x2fff, 3],
  [0x30ff, 2],
  [0x4dff, 3],
  [0x9fff, 2.05],
  [0xabff, 3],
  [0xd7ff, 2.35],
  [0xfe0f, 3],
  [0xffff, 2],
  [0x1cfff, 4],
  [0x1efff, 3],
  [0x1faff, 2.7],
  [0x10ffff, 4],
];

/** A table with its bits. */
interface Bits extends Pick<TokenTable, "first" | "last"> {
  readonly bits: Uint8Array;
}

/** Decoded when the first such character is counted. */
let tables: { readonly alone: readonly Bits[]; readonly pairs: readonly Bits[] } | undefined;

function readTables() {
  const read = (isPairs: boolean): Bits[] => {
    return tokenTables.filter((table) => table.isPairs === isPairs).map(({ bits, ...table }) => {
      return { ...table, bits: Uint8Array.fromBase64(bits) };
    });
  };
  return { alone: read(false), pairs: read(true) };
}

/** The cost of a letter that joins the one in front of it, and of a sign that repeats. */
const joined = 0.2;
const drawn = 0.13;

/** Signs that draw lines. */
const lineSigns = "─━═█▀▄…　·•\ufffd";

/** Counts the tokens of `run`, which has no ASCII characters. */
export function foreignTokens(run: string): number {
  tables ??= readTables();
  let tokens = 0;
  let before = 0;
  for (const character of run) {
    const code = character.codePointAt(0)!;
    if (code === before) tokens += lineSigns.includes(character) ? drawn : 0.7 * aloneCost(code);
    else tokens += isPair(before, code) ? joined : aloneCost(code);
    before = code;
  }
  return tokens;
}

/** Costs of characters so far. */
const known = new Map<number, number>();

function aloneCost(code: number): number {
  const cost = known.get(code);
  if (cost !== undefined) return cost;
  const found = findCost(code);
  if (known.size < 0x10000) known.set(code, found);
  return found;
}

function findCost(code: number): number {
  const table = tables!.alone.find(({ first, last }) => code >= first && code <= last);
  // Two common characters are sometimes one token
  if (table !== undefined && isSet(table.bits, code - table.first)) return code < 0x3400 ? 1 : 0.9;
  return costs.find(([last]) => code <= last)![1];
}

function isPair(one: number, other: number): boolean {
  const table = tables!.pairs.find(({ first, last }) => other >= first && other <= last);
  if (table === undefined || one < table.first || one > table.last) return false;
  const width = table.last - table.first + 1;
  return isSet(table.bits, (one - table.first) * width + other - table.first);
}

function isSet(bits: Uint8Array, at: number): boolean {
  return (bits[at >> 3]! & (1 << (at & 7))) !== 0;
}
