/**
 * The schema of a tool's arguments with the ranges of numbers that its config and the policy allow. The
 * tool contract's schema omits them, but an agent must know them.
 */

import { inputSchema } from "./json_schema.ts";
import { resolveRef, type Schema } from "./schema_ref.ts";
import type { Arg, ObjectSchema, Tool } from "./tool.ts";

/** The `inputSchema` that agents see, with the bounds of numbers. */
export function boundedSchema(tool: Pick<Tool, "input" | "args">): ObjectSchema {
  const schema = inputSchema(tool);
  const bounded = tool.args.filter((arg) => isBounded(arg) && isIn(schema, arg.name));
  if (bounded.length === 0) return schema;
  const properties = bounded.map((arg) => [arg.name, withBounds(arg, schema)]);
  return { ...schema, properties: { ...schema.properties, ...Object.fromEntries(properties) } };
}

function isBounded({ limits = {}, constraint = {} }: Arg): boolean {
  return [limits.min, limits.max, constraint.min, constraint.max].some((each) => {
    return each !== undefined;
  });
}

function isIn({ properties = {} }: ObjectSchema, name: string): boolean {
  return Object.hasOwn(properties, name);
}

/** The bounds of a list hold for every item. */
function withBounds(arg: Arg, root: ObjectSchema): Schema {
  const written = root.properties![arg.name];
  const schema = resolveRef(written, root);
  if (arg.list === undefined) return narrowed(schema, arg);
  return { ...schema, items: narrowed(resolveRef(schema["items"], root), arg) };
}

/** The narrower of both bounds. */
function narrowed(schema: Schema, { limits = {}, constraint = {} }: Arg): Schema {
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
