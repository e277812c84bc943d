/** Makes the JSON Schema of a tool's arguments, as agents see it. */

import { anyTypes } from "./type_words.ts";
import { type Arg, type ListRules, maxItems, type ObjectSchema, type Tool } from "./tool.ts";
import { resolveRef, type Schema } from "./schema_value.ts";
import { withoutUndefined } from "../text/own_property.ts";

export function inputSchema({ input, args }: Pick<Tool, "input" | "args">): ObjectSchema {
  return input ?? argsSchema(args);
}

interface ArgsSchema extends ObjectSchema {
  readonly properties: Readonly<Record<string, ReturnType<typeof argSchema>>>;
}

/** Makes the JSON Schema of `args`, without arguments of fixed value, which agents do not see. */
export function argsSchema(args: readonly Arg[]): ArgsSchema {
  const shown = args.filter((arg) => arg.fixed === undefined);
  const properties = Object.fromEntries(shown.map((arg) => [arg.name, argSchema(arg)]));
  const required = shown.filter((arg) => arg.required).map((arg) => arg.name);
  return required.length === 0
    ? { type: "object", properties }
    : { type: "object", properties, required };
}

function argSchema({ type, description, enum: values, list, default: preset, examples }: Arg) {
  return withoutUndefined({
    // An argument of any type lists all types, since clients send a value as text if its schema names no type
    type: type === "json" ? anyTypes : type,
    description: description || undefined,
    enum: values,
    ...(list && listSchema(list)),
    default: preset,
    examples,
  });
}

function listSchema({ type, enum: values, min, max }: ListRules) {
  return {
    items: withoutUndefined({ type, enum: values }),
    minItems: min || undefined,
    maxItems: max === maxItems ? undefined : max,
  };
}

export function boundSchema(tool: Pick<Tool, "input" | "args">): ObjectSchema {
  const schema = inputSchema(tool);
  const { properties: own = {} } = schema;
  const bounded = tool.args.filter(({ name, limits = {}, constraint = {} }) => {
    return Object.hasOwn(own, name) &&
      (limits.min ?? limits.max ?? constraint.min ?? constraint.max) !== undefined;
  });
  if (bounded.length === 0) return schema;
  const properties = bounded.map((arg) => [arg.name, withBounds(arg, schema)]);
  return { ...schema, properties: { ...own, ...Object.fromEntries(properties) } };
}

function withBounds(arg: Arg, root: ObjectSchema): Schema {
  const written = root.properties![arg.name];
  const schema = resolveRef(written, root);
  if (arg.list === undefined) return narrowSchema(schema, arg);
  return { ...schema, items: narrowSchema(resolveRef(schema["items"], root), arg) };
}

function narrowSchema(schema: Schema, { limits = {}, constraint = {} }: Arg): Schema {
  const mins = [schema["minimum"], limits.min, constraint.min].filter(isNumber);
  const maxs = [schema["maximum"], limits.max, constraint.max].filter(isNumber);
  return {
    ...schema,
    ...(mins.length === 0 ? {} : { minimum: Math.max(...mins) }),
    ...(maxs.length === 0 ? {} : { maximum: Math.min(...maxs) }),
  };
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}
