/**
 * JSON Schemas (draft 2020-12) that a config declares, and values held against them. What a schema
 * refers to stands in it; its patterns are RE2, and what takes longer than seconds is given up.
 */

import type { Ajv2020 as Ajv, ErrorObject, ValidateFunction } from "ajv/dist/2020.js";
import { messageOf } from "../errors.ts";
import { canonicalJson } from "../text/canonical_json.ts";
import { excerpt } from "../text/excerpt.ts";
import { BudgetClock, BudgetExceeded, type WorkBudget, workerBudget } from "./work_budget.ts";
import { expressionOf, isSearchable } from "./searchable.ts";

/** UTF-16 code units of a schema as JSON. */
const longestSchema = 64 * 1024;
/** Levels of a schema. */
const mostLevels = 64;

/** Schemas that are held against a value from one look at the clock to the next. */
const looksBetween = 64;

/** What is wrong with a value; nothing where it fits. */
export type SchemaCheck = (value: unknown) => string | undefined;

/** Compiles `schema`, or says why it is none. What takes longer than `patience` has is given up. */
export async function compileSchema(
  schema: unknown,
  patience: WorkBudget = workerBudget,
): Promise<SchemaCheck | { readonly reason: string; readonly hint?: string }> {
  const wrong = refusalOf(schema);
  if (wrong !== undefined) return wrong;
  try {
    const clock = new BudgetClock(patience, looksBetween);
    clock.start();
    const validate = (await newAjv(clock, patience)).compile(counted(schema) as object);
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
    return { reason: "it is not a map" };
  }
  // First of all: what comes next would go down all of it
  if (isDeeper(schema, mostLevels)) {
    return { reason: `it is nested deeper than ${mostLevels} levels` };
  }
  if (JSON.stringify(schema).length > longestSchema) {
    return { reason: `it has more than ${longestSchema.toLocaleString("en-US")} characters` };
  }
  if ((schema as { type?: unknown }).type !== "object") {
    const hint =
      "A list, or any other value that is not an object, is the property 'result' of an object";
    return { reason: "it is not of 'type: object'", hint };
  }
  if ("$async" in schema) return { reason: "'$async' is not a keyword of JSON Schema" };
  return undefined;
}

/** Says whether `value` has more than so many levels. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** The keyword that stands in each schema within another. */
const countedKeyword = "x-counted";

/** `schema` with every schema in it counted, each time it is held against a value. */
function counted(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(counted);
  const entries = Object.entries(schema).map(([key, inner]) => {
    if (isValue(key)) return [key, inner] as const;
    return [key, isMap(key) ? countedMap(inner) : counted(inner)] as const;
  });
  return Object.fromEntries([...entries, [countedKeyword, true]]);
}

/** A map of names to schemas, or to lists of names. */
function countedMap(map: unknown): unknown {
  if (typeof map !== "object" || map === null || Array.isArray(map)) return counted(map);
  return Object.fromEntries(Object.entries(map).map(([name, inner]) => [name, counted(inner)]));
}

/** Whether what stands under `key` is a value and no schema. */
function isValue(key: string): boolean {
  return ["const", "default", "enum", "examples", "$vocabulary", "dependentRequired"].includes(key);
}

/** Whether what stands under `key` has names of its own, each with a schema. */
function isMap(key: string): boolean {
  return ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]
    .includes(key);
}

class TooLong extends Error {}

/** What does not decide anything in strict mode is said, for it is a keyword mistyped. */
async function newAjv(clock: BudgetClock, patience: WorkBudget): Promise<Ajv> {
  const { _, Ajv2020 } = await import("ajv/dist/2020.js");
  const look = (isLong?: boolean) => {
    if (clock.isOver(isLong)) throw new TooLong();
  };
  const regExp = Object.assign((pattern: string) => {
    look(true);
    const expression = expressionOf(pattern, 0, patience);
    // By its text Ajv tells one from another
    const toString = () => pattern;
    const test = (text: string) => {
      look(true);
      if (!isSearchable(expression, text.length, patience)) throw new TooLong();
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
    code: { regExp, optimize: false },
  });
  // Its own compares each item with each
  ajv.removeKeyword("uniqueItems").addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    error: { message: "must have no item twice" },
    validate: (isWanted: boolean, items: readonly unknown[]) => {
      if (!isWanted) return true;
      look(true);
      return new Set(items.map(canonicalJson)).size === items.length;
    },
  });
  ajv.addKeyword({
    keyword: countedKeyword,
    // Of its rules it is the first: what takes long comes behind
    before: "$dynamicRef",
    code({ gen }) {
      look(true);
      gen.code(_`${gen.scopeValue("func", { ref: look })}()`);
    },
  });
  return ajv;
}

function whyNot(error: unknown): { reason: string; hint?: string } {
  if (error instanceof BudgetExceeded) throw error;
  if (error instanceof TooLong) return { reason: "it takes too long to compile" };
  // Of what is wrong with a schema the first is what there is, the others follow from it
  const [first] = messageOf(error).replace(/^(?:schema is invalid|strict mode): /, "")
    .split(", data/") as [string];
  const message = excerpt(first.replace(/^data\//, "at /"), 200);
  if (/^can't resolve reference/.test(message)) {
    const hint = "Put the referenced schema into '$defs' of the schema itself";
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
    if (error instanceof RangeError) return "it cannot be checked: the schema goes too deep";
    if (error instanceof TooLong) return "it cannot be checked: the schema takes too long";
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
