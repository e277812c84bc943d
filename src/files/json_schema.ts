/** Checks values by JSON Schema (2020-12): patterns by RE2, no remote references, at most some seconds. */

import type { Ajv2020 as Ajv, ErrorObject, ValidateFunction } from "ajv/dist/2020.js";
import { messageOf } from "../errors.ts";
import { canonicalJson, isObject } from "../text/own_property.ts";
import { excerpt } from "../text/excerpt.ts";
import { thousands } from "../text/plural.ts";
import { expressionOf, isSearchable } from "./bounded_expression.ts";
import { BudgetClock, BudgetExceeded, type WorkBudget, workerBudget } from "./work_budget.ts";

const maxSchemaLength = 64 * 1024;
const maxLevels = 64;
/** The time limit is checked each time this many subschemas have been evaluated. */
const looksBetween = 64;
export type SchemaCheck = (value: unknown) => string | undefined;

export async function compileSchema(
  schema: unknown,
  budget: WorkBudget = workerBudget,
): Promise<SchemaCheck | { readonly reason: string; readonly hint?: string }> {
  const wrong = refusalOf(schema);
  if (wrong !== undefined) return wrong;
  try {
    const clock = new BudgetClock(budget, looksBetween);
    const validate = (await newAjv(clock, budget)).compile(countKeywords(schema) as object);
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
  if (isDeeper(schema, maxLevels)) {
    return { reason: `it is nested deeper than ${maxLevels} levels` };
  }
  if (JSON.stringify(schema).length > maxSchemaLength) {
    return { reason: `it has more than ${thousands(maxSchemaLength)} characters` };
  }
  if ((schema as { type?: unknown }).type !== "object") {
    const hint =
      "A list, or any other value that is not an object, is the property 'result' of an object";
    return { reason: "it is not of 'type: object'", hint };
  }
  if ("$async" in schema) return { reason: "'$async' is not a keyword of JSON Schema" };
  return undefined;
}

export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

const countedKeyword = "x-counted";

/** Copies `schema`, and adds a keyword to each subschema: evaluating the keyword checks how long the work has taken. */
function countKeywords(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(countKeywords);
  const counted = mapValues(schema, (inner, key) => {
    if (dataKeywords.has(key)) return inner;
    return mapKeywords.has(key) && isObject(inner)
      ? mapValues(inner, countKeywords)
      : countKeywords(inner);
  });
  return { ...counted, [countedKeyword]: true };
}

function mapValues(map: object, change: (value: unknown, key: string) => unknown): object {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value, key)]));
}

const dataKeywords: ReadonlySet<string> = new Set(
  ["const", "default", "enum", "examples", "$vocabulary", "dependentRequired"],
);

const mapKeywords: ReadonlySet<string> = new Set(
  ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"],
);

class TooLong extends Error {}

/** Makes an Ajv in strict mode, which reports unknown keywords: most of them are typing errors. */
async function newAjv(clock: BudgetClock, budget: WorkBudget): Promise<Ajv> {
  const { _, Ajv2020 } = await import("ajv/dist/2020.js");
  const look = (isLong?: boolean) => {
    if (clock.isOver(isLong)) throw new TooLong();
  };
  const regExp = Object.assign((pattern: string) => {
    look(true);
    const expression = expressionOf(pattern, 0, budget);
    const toString = () => pattern;
    const test = (text: string) => {
      look(true);
      if (!isSearchable(expression, text.length, budget)) throw new TooLong();
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
  // Ajv's own `uniqueItems` compares each item with each other, which takes too long for many items
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
  // The first of Ajv's errors is the cause, and the others follow from it
  const [first] = messageOf(error).replace(/^(?:schema is invalid|strict mode): /, "")
    .split(", data/") as [string];
  return { reason: excerpt(first.replace(/^data\//, "at /").replace("can't", "cannot"), 200) };
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
