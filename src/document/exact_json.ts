/** JSON whose numbers stay what they were written as. */

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
 *
 * @throws {SyntaxError} when it is no JSON
 */
export function parseExactly(text: string): unknown {
  // Sixteen digits is what a number may lose one of, and three of an exponent all of it
  if (!/\d[\d.]{15}|\de[+-]?\d{3}/i.test(text)) return JSON.parse(text);
  return json.parse(text, (_, value, { source }) => {
    if (typeof value !== "number" || source === undefined || String(value) === source) return value;
    return digitsOf(source) === digitsOf(String(value)) ? value : json.rawJSON(source);
  });
}

function digitsOf(number: string): string {
  return number.replace(/e.*$/i, "").replaceAll(/[-.]/g, "").replace(/^0+/, "").replace(/0+$/, "");
}

/** The number that `value` is when it was put aside, as it was written. */
export function exactNumber(value: unknown): string | undefined {
  return json.isRawJSON(value) ? value.rawJSON : undefined;
}
