/**
 * Checks arguments against the JSON Schema of their tool, on the thread of all clients. The schema is untrusted:
 * what is unknown, or exceeds a bound, is left to the server, which checks the arguments in any case.
 */

import { excerpt, patternText, quote } from "../../text/excerpt.ts";
import { RE2JS } from "re2js";
import { sizeWhenExpanded } from "../../files/searchable.ts";
import { isObject, ownProperty } from "../../text/own_property.ts";
import { resolveRef, type Schema } from "../../tool/schema_value.ts";

/** Most steps, each of about a microsecond, of one check. */
const maxSteps = 20_000;

/** Most reasons, levels and matched characters of one check. */
const maxReasons = 20;
const maxDepth = 50;
const maxMatched = 10_000;

/** Keywords that are checked here, and those that do not concern values. */
const decided: ReadonlySet<string> = new Set([
  ...["$schema", "$id", "$defs", "definitions", "$comment", "$ref"],
  ...["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"],
  ...["type", "enum", "const", "minLength", "maxLength", "pattern"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["items", "prefixItems", "minItems", "maxItems", "uniqueItems"],
  ...["properties", "required", "additionalProperties", "allOf", "anyOf", "oneOf", "not"],
]);

/** Returns the reasons why `values`, the arguments, do not fit. `patterns` are those of the server of `schema`. */
export function checkSchema(
  schema: Schema,
  values: Readonly<Record<string, unknown>>,
  patterns: SchemaPatterns,
): string[] {
  return new SchemaCheck(schema, patterns.budget()).run(values);
}

class SchemaCheck {
  readonly #root: Schema;
  readonly #isFound: PatternCheck;
  #steps = 0;
  /** Keywords that were left to the server. With any, a fit is not certain. */
  #undecided = 0;

  constructor(root: Schema, isFound: PatternCheck) {
    this.#root = root;
    this.#isFound = isFound;
  }

  run(values: unknown): string[] {
    return this.#check(this.#root, values, "", 0).slice(0, maxReasons);
  }

  #check(written: unknown, value: unknown, place: Place, depth: number): string[] {
    if (++this.#steps > maxSteps || depth > maxDepth) {
      this.#undecided++;
      return [];
    }
    if (written === false) return [`${subject(place)} is not allowed`];
    const schema = resolveRef(written, this.#root);
    const keys = Object.keys(schema);
    this.#steps += keys.length / 2;
    if (keys.some((key) => !decided.has(key))) this.#undecided++;
    const mistyped = checkType(schema, value, place);
    if (mistyped !== undefined) return [mistyped];
    const reasons = [
      ...this.#checkValues(schema, value, place),
      ...(typeof value === "string" ? this.#checkText(schema, value, place) : []),
      ...(typeof value === "number" ? checkNumber(schema, value, place) : []),
      ...(Array.isArray(value) ? this.#checkItems(schema, value, place, depth) : []),
      ...(isObject(value) ? this.#checkProperties(schema, value, place, depth) : []),
      ...this.#checkBranches(schema, value, place, depth),
    ];
    this.#steps += reasons.length;
    return reasons.slice(0, maxReasons);
  }

  #checkValues(schema: Schema, value: unknown, place: Place): string[] {
    const { enum: all, const: only } = schema;
    if (all === undefined && only === undefined) return [];
    const json = JSON.stringify(value);
    this.#steps += json.length / 100;
    if (Array.isArray(all) && !jsonOfEach(all).has(json)) {
      const allowed = all.slice(0, maxShown).map((each) => {
        return typeof each === "string" ? each : JSON.stringify(each);
      });
      return [`${subject(place)} must be one of: ${excerpt(allowed.join(", "), maxShown)}`];
    }
    if (only === undefined || jsonOfEach([only]).has(json)) return [];
    return [`${subject(place)} must be ${show(only)}`];
  }

  #checkText(schema: Schema, value: string, place: Place): string[] {
    const { minLength, maxLength, pattern } = schema;
    const length = value.length > maxMatched ? value.length : [...value].length;
    this.#steps += Math.min(value.length, maxMatched) / 100;
    const given = `${subject(place)}: value ${quote(value)}`;
    const misfit = checkCount(`${length} characters`, length, minLength, maxLength);
    if (misfit !== undefined) return [`${given} ${misfit}`];
    if (typeof pattern !== "string") return [];
    const isFound = value.length > maxMatched ? undefined : this.#isFound(pattern, value);
    if (isFound === undefined) this.#undecided++;
    if (isFound !== false) return [];
    return [`${given} does not match ${patternText(pattern)}`];
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
    const misfit = checkCount(`${value.length} items`, value.length, minItems, maxItems);
    if (misfit !== undefined) reasons.push(`${subject(place)} ${misfit}`);
    if (uniqueItems === true && value.length <= maxReasons * 50) {
      const items = value.map((item) => JSON.stringify(item));
      for (const { length } of items) this.#steps += length / 100;
      const different = new Set(items);
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
    this.#steps += Array.isArray(required) ? required.length / 8 : 0;
    const missing = (Array.isArray(required) ? required : [])
      .filter((key) => typeof key === "string" && !Object.hasOwn(value, key))
      .filter((key) => !this.#isPreset(properties, key))
      .slice(0, maxReasons)
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

  /** True if the server has a default for `key`, although its schema requires it. */
  #isPreset(properties: Schema, key: string): boolean {
    const property = ownProperty(properties, key);
    const isPreset = isObject(property) && Object.hasOwn(property, "default");
    if (isPreset) this.#undecided++;
    return isPreset;
  }

  #checkBranches(schema: Schema, value: unknown, place: Place, depth: number): string[] {
    const { allOf, anyOf, oneOf, not } = schema;
    const reasons = (Array.isArray(allOf) ? allOf : []).flatMap((branch) => {
      return this.#check(branch, value, place, depth + 1);
    });
    for (const branches of [anyOf, oneOf]) {
      const undecided = this.#undecided;
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
      if (fitting > 1 && branches === oneOf && this.#undecided === undecided) {
        reasons.push(`${subject(place)} fits ${fitting} forms of which it may have one`);
      }
    }
    const undecided = this.#undecided;
    const fits = not !== undefined && this.#check(not, value, place, depth + 1).length === 0;
    if (fits && this.#undecided === undecided) {
      reasons.push(`${subject(place)} has a form that is not allowed`);
    }
    return reasons;
  }
}

/** The path of a value in the arguments, `a.b[2]`; empty for the arguments themselves. */
type Place = string;

/** Most characters of a pattern or a list of values in a reason. */
const maxShown = 2_000;

function subject(place: Place): string {
  return place === "" ? "The arguments" : `Argument '${place}'`;
}

function checkType({ type }: Schema, value: unknown, place: Place): string | undefined {
  const types = [type].flat().filter((each) => typeof each === "string");
  if (types.length === 0 || types.some((each) => hasType(value, each))) return undefined;
  return `${subject(place)}: cannot convert ${show(value)} to ${types.join(" or ")}`;
}

const knownTypes = new Set(["null", "array", "object", "string", "number", "boolean", "integer"]);

function hasType(value: unknown, type: string): boolean {
  const own = Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
  return own === type || (type === "integer" && Number.isInteger(value)) || !knownTypes.has(type);
}

const written = new WeakMap<readonly unknown[], ReadonlySet<string>>();

/** Each value as JSON, cached for lists of a schema. */
function jsonOfEach(values: readonly unknown[]): ReadonlySet<string> {
  const known = written.get(values);
  if (known !== undefined) return known;
  const all = new Set(values.map((each) => JSON.stringify(each)));
  written.set(values, all);
  return all;
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

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function checkCount(
  counted: string,
  count: number,
  min: unknown,
  max: unknown,
): string | undefined {
  if (isNumber(min) && count < min) return `has ${counted}, expected at least ${min}`;
  if (isNumber(max) && max >= 0 && count > max) return `has ${counted}, expected at most ${max}`;
  return undefined;
}

function show(value: unknown): string {
  return quote(typeof value === "string" ? value : JSON.stringify(value) ?? "nothing");
}

/** Most instructions of stored patterns of one server; beyond that, all are removed. */
const keptInstructions = 50_000;

/** Most instructions times characters of one check, which take at most 20 ms. */
const maxWork = 800_000;

/** Work to compile one instruction, and the instructions of the smallest pattern. */
const workToCompile = 100;
const minInstructions = 30;

/** Returns whether a pattern occurs in a text; `undefined` if that exceeds the budget. */
type PatternCheck = (pattern: string, text: string) => boolean | undefined;

/** The patterns of one server, compiled once, with a budget for each check: all clients wait for that thread. */
export class SchemaPatterns {
  readonly #compiled = new Map<string, RE2JS | undefined>();
  #instructions = 0;

  budget(): PatternCheck {
    let rest = maxWork;
    // A pattern beyond the budget costs nothing: smaller ones may still fit
    const spend = (work: number): boolean => {
      if (work > rest) return false;
      rest -= work;
      return true;
    };
    return (pattern, text) => {
      const expression = this.#expressionOf(pattern, spend);
      if (expression === undefined) return undefined;
      if (!spend(expression.programSize() * (text.length + 1))) return undefined;
      return expression.matcher(text).find();
    };
  }

  /** The compiled pattern, if known; `undefined` in it if RE2 does not accept it. */
  known(pattern: string): { readonly expression: RE2JS | undefined } | undefined {
    return this.#compiled.has(pattern) ? { expression: this.#compiled.get(pattern) } : undefined;
  }

  #expressionOf(pattern: string, spend: (work: number) => boolean): RE2JS | undefined {
    const known = this.known(pattern);
    if (known !== undefined) return known.expression;
    // A very long pattern takes long even before it is compiled
    const size = pattern.length > maxWork / workToCompile ? Infinity : sizeWhenExpanded(pattern);
    if (!spend((size + minInstructions) * workToCompile)) return undefined;
    if (this.#instructions + size > keptInstructions) {
      this.#compiled.clear();
      this.#instructions = 0;
    }
    this.#instructions += size;
    const expression = compilePattern(pattern);
    this.#compiled.set(pattern, expression);
    return expression;
  }
}

function compilePattern(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}
