/** Counts the values of JSON before parsing: parsed values may need a hundred times the memory of the text. */

/** The id of a JSON-RPC 2.0 message; `null` if the message has none that can be read. */
export type MessageId = string | number | null;

interface Raw {
  rawJSON(text: string): MessageId;
}

export interface MessageScan {
  readonly values: number;
  readonly depth: number;
  /** The index of the byte where the `id` of the outermost object begins; -1 without an `id`. */
  readonly idAt: number;
}

/** A message with more values than this is not parsed, since each value takes many bytes of memory. */
export const maxMessageValues = 100_000;

const maxMessageDepth = 200;

/** Returns why a message must not be parsed, as it has too many values or levels; `undefined` if it may be parsed. */
export function excessOf(
  { values, depth }: Pick<MessageScan, "values" | "depth">,
  maxValues = maxMessageValues,
): string | undefined {
  if (values > maxValues) return `more than ${maxValues} values`;
  if (depth > maxMessageDepth) return `more than ${maxMessageDepth} levels`;
  return undefined;
}

/** Parses `value` if it is the JSON text of a list or object, as models send them; returns any other value as it is. */
export function parseJsonText(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  if (excessOf(scanMessage(new TextEncoder().encode(value))) !== undefined) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** The most bytes that the id of a message may have; a longer id is not read. */
const maxIdBytes = 1024;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openList = 0x5b;
const backslash = 0x5c;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

export function scanMessage(bytes: Uint8Array): MessageScan {
  let values = 0;
  let depth = 0;
  let deepest = 0;
  let idAt = -1;
  let keyEnd = -1;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case quote: {
        const end = stringEnd(bytes, at);
        if (depth === 1 && end - at === 3 && isId(bytes, at)) keyEnd = end;
        at = end;
        break;
      }
      case colon:
        if (keyEnd !== -1 && isBlank(bytes.subarray(keyEnd + 1, at))) idAt = at + 1;
        keyEnd = -1;
        break;
      case comma:
        values++;
        break;
      case openObject:
      case openList:
        values++;
        deepest = Math.max(deepest, ++depth);
        break;
      case closeObject:
      case closeList:
        depth--;
        break;
    }
  }
  const isList = bytes[firstByte(bytes)] === openList;
  return { values, depth: deepest, idAt: isList ? -1 : idAt };
}

export function readId(bytes: Uint8Array, { idAt }: MessageScan): MessageId {
  return idAt === -1 ? null : idFrom(bytes, idAt);
}

export function isBlank(bytes: Uint8Array): boolean {
  return firstByte(bytes) === bytes.length;
}

function firstByte(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length && bytes[at]! <= 0x20 && bytes[at] !== 0) at++;
  return at;
}

/** Returns the index of the closing quote of the string that begins at `start`, or the length of `bytes`. */
function stringEnd(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(quote, start + 1); at !== -1; at = bytes.indexOf(quote, at + 1)) {
    let escapes = 0;
    while (bytes[at - 1 - escapes] === backslash) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return bytes.length;
}

function isId(bytes: Uint8Array, start: number): boolean {
  return bytes[start + 1] === 0x69 && bytes[start + 2] === 0x64;
}

function idFrom(bytes: Uint8Array, start: number): MessageId {
  const from = start + firstByte(bytes.subarray(start));
  let end = from;
  if (bytes[from] === quote) end = stringEnd(bytes, from) + 1;
  else while (end < bytes.length && isNumberByte(bytes[end]!)) end++;
  if (end - from > maxIdBytes) return null;
  try {
    const text = new TextDecoder().decode(bytes.subarray(from, end));
    const id = JSON.parse(text);
    // A number too large to be exact keeps its written digits, so that the client recognizes its id in the answer
    if (isInexact(id)) return (JSON as unknown as Raw).rawJSON(text);
    return typeof id === "string" || typeof id === "number" ? id : null;
  } catch {
    return null;
  }
}

function isNumberByte(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39 || byte === 0x2b || byte === 0x2d || byte === 0x2e ||
    byte === 0x45 || byte === 0x65;
}

/** Returns whether `id` is an integer that parsing may have changed, so that a client would not recognise the id. */
export function isInexact(id: unknown): boolean {
  return typeof id === "number" && Number.isInteger(id) && !Number.isSafeInteger(id);
}
