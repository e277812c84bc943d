/** JSON whose numbers stay what they were written as. */

import { scanMessage } from "../text/message_scan.ts";
import { trimEndOf } from "../text/trim_end.ts";

/** Levels of a value: to parse millions of them takes seconds, in which nothing is looked at. */
const mostLevels = 1_000;

/** A number that JavaScript would make another of. */
interface RawJson {
  readonly rawJSON: string;
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

const json = JSON as unknown as {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
  parse(text: string, reviver?: Reviver): unknown;
};

/**
 * The value of `text`. A number that would become another is put back as it was by `JSON.stringify`.
 * `look` is called again and again where that takes long, and may throw.
 *
 * @throws {SyntaxError} when it is no JSON
 * @throws {RangeError} when it is nested deeper than 1,000 levels
 */
export function parseExactly(text: string, look = () => {}): unknown {
  if (text.length > mostLevels && scanMessage(encoder.encode(text)).depth > mostLevels) {
    throw new RangeError(`it is nested deeper than ${mostLevels.toLocaleString("en-US")} levels`);
  }
  // Sixteen digits is what a number may lose one of, and three of an exponent all of it
  if (!/\d[\d.]{15}|\de[+-]?\d{3}/i.test(text)) return JSON.parse(text);
  return json.parse(text, (_, value, { source }) => {
    look();
    if (typeof value !== "number" || source === undefined || String(value) === source) return value;
    return digitsOf(source) === digitsOf(String(value)) ? value : json.rawJSON(source);
  });
}

const encoder = new TextEncoder();

function digitsOf(number: string): string {
  const digits = number.replace(/e.*$/i, "").replaceAll(/[-.]/g, "").replace(/^0+/, "");
  return trimEndOf(digits, "0");
}

/** The number that `value` is when it was put aside, as it was written. */
export function exactNumber(value: unknown): string | undefined {
  return json.isRawJSON(value) ? value.rawJSON : undefined;
}
