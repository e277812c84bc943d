/**
 * Arguments against the JSON Schema of their tool, in the words that climax has for arguments. A
 * keyword that is not known here is left to the server, which has the last word anyway.
 *
 * The schema comes from somebody who is not trusted: patterns are matched in linear time, references
 * and nesting are bounded, and so is the work.
 */

import { RE2JS } from "re2js";
import { quote } from "../../text/excerpt.ts";
import { resolveRef, type Schema } from "../../tool/schema_ref.ts";

/** Steps that one check may take, reasons it gives, levels it goes down, and characters it matches. */
const maxSteps = 20_000;
const maxReasons = 20;
const maxDepth = 50;
const maxMatched = 10_000;

/** Everything that is wrong with `values`, whose top level are the arguments. */
export function checkSchema(schema: Schema, values: Readonly<Record<string, unknown>>): string[] {
  return new SchemaCheck(schema).run(values);
}

/** A value's place in the arguments, `a.b[2]`; the arguments themselves have the empty one. */
type Place = string;

class SchemaCheck {
  readonly #root: Schema;
  #steps = 0;

  constructor(root: Schema) {
    this.#root = root;
  }

  run(values: unknown): string[] {
    return this.#check(this.#root, values, "", 0).slice(0, maxReasons);
  }

  #check(written: unknown, value: unknown, place: Place, depth: number): string[] {
    if (++this.#steps > maxSteps || depth > maxDepth) return [];
    if (written === false) return [`${subject(place)} is not allowed`];
    const schema = resolveRef(written, this.#root);
    const mistyped = checkType(schema, value, place);
    if (mistyped !== undefined) return [mistyped];
    return [
      ...checkValues(schema, value, place),
      ...(typeof value === "string" ? checkText(schema, value, place) : []),
      ...(typeof value === "number" ? checkNumber(schema, value, place) : []),
      ...(Array.isArray(value) ? this.#checkItems(schema, value, place, depth) : []),
      ...(isObject(value) ? this.#checkProperties(schema, value, place, depth) : []),
      ...this.#checkBranches(schema, value, place, depth),
    ];
  }

  #checkItems(schema: Schema, value: readonly unknown[], place: Place, depth: number): string[] {
    const { items, prefixItems, minItems, maxItems, uniqueItems } = schema;
    const first = Array.isArray(prefixItems) ? prefixItems : [];
    const reasons = value.flatMap((item, index) => {
      const own = index < first.length ? first[index] : items ?? true;
      return own === true || Array.isArray(own)
        ? []
        : this.#check(own, item, `${place}[${index}]`, depth + 1);
    });
    if (isCount(minItems) && value.length < minItems) {
      reasons.push(`${subject(place)} has ${value.length} items, expected at least ${minItems}`);
    }
    if (isCount(maxItems) && value.length > maxItems) {
      reasons.push(`${subject(place)} has ${value.length} items, expected at most ${maxItems}`);
    }
    if (uniqueItems === true && value.length <= maxReasons * 50) {
      const different = new Set(value.map((item) => JSON.stringify(item)));
      if (different.size < value.length) reasons.push(`${subject(place)} has the same item twice`);
    }
    return reasons;
  }

  #checkProperties(
    schema: Schema,
    value: Readonly<Record<string, unknown>>,
    place: Place,
    depth: number,
  ): string[] {
    const properties = isObject(schema["properties"]) ? schema["properties"] : {};
    const { required, additionalProperties, patternProperties } = schema;
    const inside = (key: string) => place === "" ? key : `${place}.${key}`;
    const missing = (Array.isArray(required) ? required : [])
      .filter((key) => typeof key === "string" && !Object.hasOwn(value, key))
      .map((key) => `Missing required argument '${inside(key)}'`);
    const wrong = Object.entries(value).flatMap(([key, inner]) => {
      if (Object.hasOwn(properties, key)) {
        return this.#check(properties[key], inner, inside(key), depth + 1);
      }
      if (patternProperties !== undefined || additionalProperties === undefined) return [];
      if (additionalProperties === false) {
        return place === "" ? [] : [`${subject(inside(key))} is not known`];
      }
      return this.#check(additionalProperties, inner, inside(key), depth + 1);
    });
    return [...missing, ...wrong];
  }

  #checkBranches(schema: Schema, value: unknown, place: Place, depth: number): string[] {
    const { allOf, anyOf, oneOf, not } = schema;
    const reasons = (Array.isArray(allOf) ? allOf : []).flatMap((branch) => {
      return this.#check(branch, value, place, depth + 1);
    });
    for (const branches of [anyOf, oneOf]) {
      if (!Array.isArray(branches) || branches.length === 0) continue;
      const answers = branches.map((branch) => this.#check(branch, value, place, depth + 1));
      const fitting = answers.filter((answer) => answer.length === 0).length;
      if (fitting === 0) {
        const nearest = answers.toSorted((a, b) => a.length - b.length)[0]!;
        reasons.push(
          ...(branches.length === 1 ? nearest : [
            `${subject(place)} fits none of the ${branches.length} forms it may have: ${
              nearest[0]
            }`,
          ]),
        );
      }
      if (fitting > 1 && branches === oneOf) {
        reasons.push(`${subject(place)} fits ${fitting} forms of which it may have one`);
      }
    }
    if (not !== undefined && this.#check(not, value, place, depth + 1).length === 0) {
      reasons.push(`${subject(place)} has a form that is not allowed`);
    }
    return reasons;
  }
}

function subject(place: Place): string {
  return place === "" ? "The arguments" : `Argument '${place}'`;
}

function checkType({ type }: Schema, value: unknown, place: Place): string | undefined {
  const types = [type].flat().filter((each) => typeof each === "string");
  if (types.length === 0 || types.some((each) => hasType(value, each))) return undefined;
  return `${subject(place)}: cannot convert ${show(value)} to ${types.join(" or ")}`;
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    case "string":
      return typeof value === "string";
    case "number":
      return typeof value === "number";
    case "boolean":
      return typeof value === "boolean";
    default:
      return true;
  }
}

function checkValues(schema: Schema, value: unknown, place: Place): string[] {
  const same = (other: unknown) => JSON.stringify(other) === JSON.stringify(value);
  const { enum: values } = schema;
  if (Array.isArray(values) && !values.some(same)) {
    const allowed = values.map((each) => typeof each === "string" ? each : JSON.stringify(each));
    return [`${subject(place)} must be one of: ${allowed.join(", ")}`];
  }
  if (schema["const"] !== undefined && !same(schema["const"])) {
    return [`${subject(place)} must be ${show(schema["const"])}`];
  }
  return [];
}

function checkText(schema: Schema, value: string, place: Place): string[] {
  const { minLength, maxLength, pattern } = schema;
  const length = value.length > maxMatched ? value.length : [...value].length;
  if (isCount(minLength) && length < minLength) {
    return [
      `${subject(place)}: value ${
        quote(value)
      } has ${length} characters, expected at least ${minLength}`,
    ];
  }
  if (isCount(maxLength) && length > maxLength) {
    return [
      `${subject(place)}: value ${
        quote(value)
      } has ${length} characters, expected at most ${maxLength}`,
    ];
  }
  if (typeof pattern !== "string" || value.length > maxMatched) return [];
  return isFound(pattern, value)
    ? []
    : [`${subject(place)}: value ${quote(value)} does not match pattern '${pattern}'`];
}

/** Whether `pattern` occurs in `text`; one that RE2 does not know is the server's business. */
function isFound(pattern: string, text: string): boolean {
  try {
    return RE2JS.compile(pattern).matcher(text).find();
  } catch {
    return true;
  }
}

function checkNumber(schema: Schema, value: number, place: Place): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const reason = isNumber(minimum) && value < minimum
    ? `is less than minimum ${minimum}`
    : isNumber(maximum) && value > maximum
    ? `is greater than maximum ${maximum}`
    : isNumber(exclusiveMinimum) && value <= exclusiveMinimum
    ? `is not more than ${exclusiveMinimum}`
    : isNumber(exclusiveMaximum) && value >= exclusiveMaximum
    ? `is not less than ${exclusiveMaximum}`
    : isNumber(multipleOf) && multipleOf > 0 && Number.isInteger(multipleOf) &&
        value % multipleOf !== 0
    ? `is not a multiple of ${multipleOf}`
    : undefined;
  return reason === undefined ? [] : [`${subject(place)}: value '${value}' ${reason}`];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}

function show(value: unknown): string {
  return quote(typeof value === "string" ? value : JSON.stringify(value) ?? "nothing");
}
