/** Resolves references within one JSON Schema. */

import { percentDecoded } from "../text/percent.ts";

/** A JSON Schema that is an object. */
export type Schema = Readonly<Record<string, unknown>>;

/** References that are followed in a row: a schema may refer to itself. */
const maxHops = 10;

/** Characters of a reference, and keywords of its target: both are read often. */
const maxRefLength = 300;
const maxKeywords = 100;

/** Returns `written` as an object with references into `root` resolved; any other value allows everything. */
export function resolveRef(written: unknown, root: Schema): Schema {
  let schema = written;
  for (let hops = 0; hops < maxHops; hops++) {
    if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return {};
    const { $ref, ...rest } = schema as Record<string, unknown>;
    if (typeof $ref !== "string") return schema as Schema;
    const target = lookUp($ref, root);
    if (target === undefined) return rest;
    schema = Object.keys(rest).length === 0 ? target : { ...target, ...rest };
  }
  return {};
}

function lookUp(ref: string, root: Schema): Schema | undefined {
  if (ref === "#") return keywordsOf(root) > maxKeywords ? undefined : root;
  if (!ref.startsWith("#/") || ref.length > maxRefLength) return undefined;
  let node: unknown = root;
  for (const step of ref.slice(2).split("/")) {
    const key = percentDecoded(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, key)) return undefined;
    node = (node as Record<string, unknown>)[key];
  }
  if (typeof node !== "object" || node === null) return undefined;
  return keywordsOf(node) > maxKeywords ? undefined : node as Schema;
}

const counts = new WeakMap<object, number>();

function keywordsOf(schema: object): number {
  const known = counts.get(schema);
  if (known !== undefined) return known;
  const count = Object.keys(schema).length;
  counts.set(schema, count);
  return count;
}
