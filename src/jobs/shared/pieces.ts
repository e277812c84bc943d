/** Stores a long text as fields of a record, so that a part of it can be read without the rest. */

import { Buffer } from "node:buffer";
import { type SharedStore, StateError } from "../../state/store.ts";
import { countLineFeeds } from "../../text/lines.ts";
import type { OutputText, TextPart, TextPosition } from "../stored_output.ts";

/** Most UTF-16 code units of a piece. */
const pieceLength = 128 * 1024;

/** Pieces that are written, or read, with one operation. */
const piecesAtOnce = 8;

interface PiecesRecord {
  readonly store: SharedStore;
  readonly name: string;
}

/** Bytes and line feeds of each piece, in order. A text that lacks a piece is not read. */
export type PieceList = readonly (readonly [bytes: number, lineFeeds: number])[];

/** Writes `text` in pieces into a record, which expires after `ms`. @throws {StateError} */
export async function writePieces(
  { store, name }: PiecesRecord,
  text: string,
  ms: number,
): Promise<PieceList> {
  const pieces = piecesOf(text);
  for (let at = 0; at < pieces.length; at += piecesAtOnce) {
    const some = pieces.slice(at, at + piecesAtOnce);
    const fields = some.map((piece, index) => [String(at + index), piece]);
    await store.putFields(name, Object.fromEntries(fields), ms);
  }
  return pieces.map((piece) => [Buffer.byteLength(piece), countLineFeeds(piece)]);
}

/** Splits between characters. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = Math.min(text.length, start + pieceLength);
    if (end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1))) end--;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

/** Reads the pieces `from` to `to`, without the latter. @throws {StateError} */
export async function readPieces(
  { store, name }: PiecesRecord,
  from: number,
  to: number,
): Promise<string> {
  const texts: string[] = [];
  for (let at = from; at < to; at += piecesAtOnce) {
    const keys = Array.from({ length: Math.min(piecesAtOnce, to - at) }, (_, i) => String(at + i));
    const found = await store.getFields(name, keys);
    for (const key of keys) {
      const text = found.get(key);
      if (text === undefined) throw new StateError("failed", "It was evicted while it was read");
      texts.push(text);
    }
  }
  return texts.join("");
}

export class PiecedText implements OutputText {
  readonly bytes: number;
  readonly lines: number;
  readonly #record: PiecesRecord;
  readonly #pieces: PieceList;
  #whole: string | undefined;

  constructor(record: PiecesRecord, pieces: PieceList, endsInLineFeed: boolean) {
    this.#record = record;
    this.#pieces = pieces;
    const sum = (at: 0 | 1) => pieces.reduce((sum, piece) => sum + piece[at], 0);
    this.bytes = sum(0);
    this.lines = sum(1) + (endsInLineFeed ? 0 : 1);
  }

  async part(position: TextPosition, bytes: number): Promise<TextPart> {
    const pieces = this.#pieces;
    const isLine = "line" in position;
    const [unit, wanted] = isLine ? [1, position.line] as const : [0, position.byte] as const;
    const before: [bytes: number, lines: number] = [0, 0];
    let from = 0;
    // A line begins after a line feed, which may be the last character of its piece
    const isBefore = (end: number) => isLine ? end < wanted : end <= wanted;
    while (from < pieces.length - 1 && isBefore(before[unit] + pieces[from]![unit])) {
      const [size, lineFeeds] = pieces[from++]!;
      before[0] += size;
      before[1] += lineFeeds;
    }
    const lastLine = isLine ? position.line + position.lines : Infinity;
    let [to, read, lines] = [from, 0, before[1]];
    // The first piece may begin long before the position
    while (to < pieces.length && (to === from || read < bytes && lines < lastLine)) {
      if (to > from) read += pieces[to]![0];
      lines += pieces[to]![1];
      to++;
    }
    const text = await readPieces(this.#record, from, to);
    return { text, line: before[1], byte: before[0], isEnd: to === pieces.length };
  }

  async whole(): Promise<string> {
    return this.#whole ??= await readPieces(this.#record, 0, this.#pieces.length);
  }
}
