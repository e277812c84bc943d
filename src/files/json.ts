/** Reads JSON with comments and trailing commas. Problems have the lines and columns of the file. */

import type { z } from "zod";
import { stripControlSequences } from "../text/control_sequences.ts";
import { visible } from "../text/escape.ts";
import { type DocumentResult, readDocument } from "./document.ts";
import { type DocumentOptions, placeOf } from "./finding.ts";
import type { JsonFault } from "./json_errors.ts";
import { messageOf } from "../errors.ts";
import { scanMessage } from "../text/message_scan.ts";
import { trimEndOf } from "../text/excerpt.ts";
import { thousands } from "../text/plural.ts";

export async function readJsonDocument<T>(
  file: string,
  text: string,
  schema: z.ZodType<T>,
  options: DocumentOptions = {},
): Promise<DocumentResult<T>> {
  const plain = plainJson(text);
  const parsed = await parseJson(plain);
  if ("fault" in parsed) {
    const message = `The file is not JSON: ${visible(parsed.fault.message)}`;
    return { ok: false, problems: [{ file, ...placeOf(plain, parsed.fault.offset), message }] };
  }
  // The text is read again as YAML, of which JSON is a subset: that parser has positions and refuses duplicate keys
  return await readDocument(file, plain, schema, options);
}

/** Parses JSON, or locates the fault of the text. */
export async function parseJson(
  text: string,
): Promise<{ readonly value: unknown } | { readonly fault: JsonFault }> {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const { jsonFault } = await import("./json_errors.ts");
    return { fault: jsonFault(text) ?? { offset: 0, message: messageOf(error) } };
  }
}

export function plainJson(text: string): string {
  const blank = (part: string) => part.replace(/[^\r\n]/g, " ");
  const withoutComments = text.replace(
    /"(?:[^"\\\r\n]|\\.)*"?|\/\/[^\r\n]*|\/\*[^]*?(?:\*\/|$)/g,
    (part) => part.startsWith('"') ? part : blank(part),
  );
  const withoutCommas = withoutComments.replace(
    /"(?:[^"\\\r\n]|\\.)*"?|,(?=\s*[\]}])/g,
    (part) => part === "," ? " " : part,
  );
  return withoutCommas.replace(/^\ufeff/, " ");
}

const maxLevels = 1_000;
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** TypeScript does not know these functions, which keep the digits of a number (JSON.parse source text access). */
const json = JSON as unknown as {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
  parse(text: string, reviver?: Reviver): unknown;
};

/** Parses JSON; keeps the text of numbers that JavaScript would round. @throws {SyntaxError} @throws {RangeError} if deep */
export function parseExactly(written: string, look = () => {}): unknown {
  const unmarked = written.startsWith("\ufeff") ? written.slice(1) : written;
  // JSON allows no control characters, so these are colours for a terminal, which are removed
  // deno-lint-ignore no-control-regex
  const isColoured = /[\x00-\x08\x0b\x0c\x0e-\x1f]/.test(unmarked);
  const text = isColoured ? stripControlSequences(unmarked) : unmarked;
  if (text.length > maxLevels && scanMessage(encoder.encode(text)).depth > maxLevels) {
    throw new RangeError(`it is nested deeper than ${thousands(maxLevels)} levels`);
  }
  // JavaScript changes only numbers of 16 digits and more, or with an exponent of 3 digits; other texts need no closer
  // look
  if (!/\d[\d.]{15}|\de[+-]?\d{3}/i.test(text)) return JSON.parse(text);
  return json.parse(text, (_, value, { source }) => {
    look();
    if (typeof value !== "number" || source === undefined || String(value) === source) return value;
    return digitsOf(source) === digitsOf(String(value)) ? value : json.rawJSON(source);
  });
}

const encoder = new TextEncoder();

function digitsOf(number: string): string {
  const digits = number.replace(/e.*/i, "").replaceAll(/[-.]/g, "").replace(/^0+/, "");
  return trimEndOf(digits, "0");
}

/** Returns the text of a number that {@linkcode parseExactly} did not convert; `undefined` for other values. */
export function exactNumber(value: unknown): string | undefined {
  return json.isRawJSON(value) ? value.rawJSON : undefined;
}

/** Returns `value` with U+FFFD for each half of a surrogate pair, which some clients cannot read. */
export function wellFormed<Value>(value: Value): Value {
  return maskTexts(value, (text) => text.toWellFormed()) as Value;
}

/** Applies `mask` to each text in `value`, names of keys included. */
export function maskTexts(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value !== "object" || value === null || exactNumber(value) !== undefined) return value;
  if (Array.isArray(value)) return value.map((inner) => maskTexts(inner, mask));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [mask(key), maskTexts(inner, mask)]),
  );
}
