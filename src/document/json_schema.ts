/**
 * JSON Schemas (draft 2020-12) that a config declares, and values held against them. What a schema
 * refers to stands in it; its patterns are RE2, and what takes longer than seconds is given up.
 */

import type { Ajv2020 as Ajv, ErrorObject, ValidateFunction } from "ajv/dist/2020.js";
import { messageOf } from "../errors.ts";
import { canonicalJson } from "../text/canonical_json.ts";
import { excerpt } from "../text/excerpt.ts";

/** UTF-16 code units of a schema as JSON. */
const longestSchema = 64 * 1024;
/** Levels of a schema. */
const mostLevels = 64;

/** Milliseconds that holding one value against a schema may take: of two that refer to it, each is twice as much. */
const longestMs = 3_000;
/** References that are followed from one look at the clock to the next. */
const refsBetween = 64;

/** What is wrong with a value; nothing where it fits. */
export type SchemaCheck = (value: unknown) => string | undefined;

/** Compiles `schema`, or says why it is none. */
export async function compileSchema(
  schema: unknown,
): Promise<SchemaCheck | { readonly reason: string; readonly hint?: string }> {
  const wrong = refusalOf(schema);
  if (wrong !== undefined) return wrong;
  try {
    const clock = new Clock();
    const validate = (await newAjv(clock)).compile(counted(schema) as object);
    return (value) => {
      clock.start();
      return misfit(validate, value);
    };
  } catch (error) {
    return whyNot(error);
  }
}

function refusalOf(schema: unknown): { reason: string; hint?: string } | undefined {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) {
    return { reason: "it is no map" };
  }
  // First of all: what comes next would go down all of it
  if (isDeeper(schema, mostLevels)) {
    return { reason: `it is nested deeper than ${mostLevels} levels` };
  }
  if (JSON.stringify(schema).length > longestSchema) {
    return { reason: `it has more than ${longestSchema.toLocaleString("en-US")} characters` };
  }
  if ((schema as { type?: unknown }).type !== "object") {
    const hint = "A list, and any other value that is no object, is the property 'result' of one";
    return { reason: "it is not of 'type: object'", hint };
  }
  if ("$async" in schema) return { reason: "'$async' is no keyword of JSON Schema" };
  return undefined;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** The keyword that stands beside each reference. */
const countedKeyword = "x-counted";

/** `schema` with every following of a reference counted: only those can take more than linear time. */
function counted(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(counted);
  const entries = Object.entries(schema).map(([key, inner]) => {
    return [key, isValue(key) ? inner : counted(inner)] as const;
  });
  const { $ref, $dynamicRef } = schema as Readonly<Record<string, unknown>>;
  const refers = typeof $ref === "string" || typeof $dynamicRef === "string";
  return Object.fromEntries(refers ? [...entries, [countedKeyword, true]] : entries);
}

/** Whether what stands under `key` is a value and no schema. */
function isValue(key: string): boolean {
  return ["const", "default", "enum", "examples"].includes(key);
}

/** Ends what takes too long. */
class Clock {
  #until = Infinity;
  #looks = 0;

  start(): void {
    this.#until = performance.now() + longestMs;
  }

  look(): void {
    if (++this.#looks % refsBetween === 0 && performance.now() > this.#until) throw new TooLong();
  }
}

class TooLong extends Error {}

/** What does not decide anything in strict mode is said, for it is a keyword mistyped. */
async function newAjv(clock: Clock): Promise<Ajv> {
  const [{ Ajv2020 }, { RE2JS }, { searchableLength }] = await Promise.all([
    import("ajv/dist/2020.js"),
    import("re2js"),
    import("./searchable.ts"),
  ]);
  const regExp = Object.assign((pattern: string) => {
    const expression = RE2JS.compile(pattern);
    // By its text Ajv tells one from another
    const toString = () => pattern;
    const longest = searchableLength(expression);
    const test = (text: string) => {
      if (text.length > longest) throw new TooLong();
      return expression.test(text);
    };
    return { test, toString };
  }, { code: "new RegExp" });
  const ajv = new Ajv2020({
    allowUnionTypes: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    validateFormats: false,
    logger: false,
    code: { regExp },
  });
  // Its own compares each item with each
  ajv.removeKeyword("uniqueItems").addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    error: { message: "must have no item twice" },
    validate: (isWanted: boolean, items: readonly unknown[]) => {
      return !isWanted || new Set(items.map(canonicalJson)).size === items.length;
    },
  });
  ajv.addKeyword({
    keyword: countedKeyword,
    // Of its rules it is the first: the reference comes behind
    before: "$dynamicRef",
    validate: () => {
      clock.look();
      return true;
    },
  });
  return ajv;
}

function whyNot(error: unknown): { reason: string; hint?: string } {
  // Of what is wrong with a schema the first is what there is, the others follow from it
  const [first] = messageOf(error).replace(/^(?:schema is invalid|strict mode): /, "")
    .split(", data/") as [string];
  const message = excerpt(first.replace(/^data\//, "at /"), 200);
  if (/^can't resolve reference/.test(message)) {
    const hint = "What it refers to stands in '$defs' of the schema itself";
    return { reason: message.replace("can't", "cannot"), hint };
  }
  if (/^no schema with key or ref/.test(message)) {
    return { reason: "its '$schema' is not that of draft 2020-12", hint: "Leave '$schema' out" };
  }
  return { reason: message };
}

function misfit(validate: ValidateFunction, value: unknown): string | undefined {
  try {
    if (validate(value)) return undefined;
  } catch (error) {
    if (error instanceof RangeError) return "it cannot be told: the schema goes too deep";
    if (error instanceof TooLong) return "it cannot be told: the schema takes too long";
    throw error;
  }
  return (validate.errors ?? []).slice(0, 1).map(wordsFor).join("");
}

function wordsFor({ instancePath, message = "does not fit", params }: ErrorObject): string {
  const place = instancePath === "" ? "" : `at ${excerpt(instancePath, 200)}: `;
  const { allowedValues, additionalProperty } = params;
  const more = Array.isArray(allowedValues)
    ? `: ${excerpt(allowedValues.map((each) => JSON.stringify(each)).join(", "), 200)}`
    : additionalProperty === undefined
    ? ""
    : `: '${excerpt(String(additionalProperty), 100)}'`;
  return `${place}${message}${more}`;
}
