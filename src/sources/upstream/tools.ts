/** Converts definitions of servers to tools of the catalogue, with their names, arguments and effects. */

import { sha256 } from "../../text/hash.ts";
import {
  type Arg,
  type ArgType,
  type ArgValue,
  type Effect,
  type ObjectSchema,
  type Owner,
  type Tool,
  withSelect,
} from "../../tool/tool.ts";
import { ownProperty } from "../../text/own_property.ts";
import { coerce } from "../../tool/value.ts";
import type { Definition } from "./definition.ts";
import type { FeatureListing } from "./feature_definition.ts";
import { Addresses, withServedInterface } from "./addresses.ts";
import { cleanTexts, plainTexts } from "./_clean_texts.ts";
import { repairInput, repairOutput } from "./repair_schema.ts";
import { type ServerSpec, upstreamKind, type UpstreamSource } from "./spec.ts";
import { resolveRef } from "../../tool/schema_value.ts";

/** The greatest length of a tool's name: some clients refuse longer names. */
const maxNameLength = 64;

export interface DefinedServer {
  readonly spec: ServerSpec;
  readonly description: string;
  readonly definitions: readonly Definition[];
  readonly features?: FeatureListing | undefined;
}

/** Returns the prefix of the names of all tools of the server `name`; in long names it may be shortened. */
export function toolPrefix(name: string): string {
  return plain(`${name}__`);
}

function plain(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_");
}

export function toolsOf(
  servers: readonly DefinedServer[],
  taken: ReadonlySet<string>,
  addresses: Addresses = new Addresses([]),
): Tool[] {
  const wanted = servers.flatMap(({ spec, definitions }) => {
    return definitions.map((each) => [each, `${spec.name}__${each.name}`] as const);
  });
  const names = uniqueNames(wanted, taken);
  return servers.flatMap(({ spec, description, definitions }) => {
    const about = cleanTexts(description);
    const owner: Owner = { name: spec.name, description: about, tags: [], isServer: true };
    return definitions.map((definition) => {
      const name = names.get(definition)!;
      const wanted = plainName(spec, definition);
      const tool = {
        ...toolOf(name, definition, owner, spec),
        // If the name was shortened or made unique, a policy may still have the plain name, so that is an alias
        ...(wanted === name ? {} : { aliases: [wanted] }),
      };
      const { _meta } = definition;
      if (_meta === undefined || Object.keys(_meta).length === 0) return tool;
      const serveUri = (uri: string) => addresses.serve(spec.name, uri);
      return { ...tool, meta: withServedInterface(plainTexts(_meta), serveUri) };
    });
  });
}

export function plainName({ name }: ServerSpec, definition: { readonly name: string }): string {
  return plain(`${name}__${definition.name}`);
}

/** Makes names unique. A changed name ends in a hash of the original, so that no server can take another's name. */
export function uniqueNames<Key>(
  wanted: readonly (readonly [key: Key, whole: string])[],
  taken: ReadonlySet<string> = new Set(),
): Map<Key, string> {
  const names = new Map<Key, string>();
  const used = new Set(taken);
  const isAsIs = ([, whole]: readonly [Key, string]) => plain(whole) === whole;
  const all = [...wanted.filter(isAsIs), ...wanted.filter((each) => !isAsIs(each))];
  for (const [key, whole] of all) {
    const short = plain(whole);
    const fits = short.length <= maxNameLength && !used.has(short);
    const name = fits ? short : `${short.slice(0, maxNameLength - 9)}_${sha256(whole).slice(0, 8)}`;
    used.add(name);
    names.set(key, name);
  }
  return names;
}

function toolOf(name: string, definition: Definition, owner: Owner, spec: ServerSpec): Tool {
  // Agents get the texts without hidden characters; a person accepts them as the server wrote them
  const { description = "", title: ownTitle, icons, annotations } = cleanTexts({
    ...definition,
    inputSchema: undefined,
    outputSchema: undefined,
  });
  const inputSchema = repairInput(definition.inputSchema);
  const output = definition.outputSchema && repairOutput(definition.outputSchema);
  const title = ownTitle ?? annotations?.title;
  const effect = effectOfClaims(annotations);
  const source: UpstreamSource = { kind: upstreamKind, server: spec.name, tool: definition.name };
  const tool: Tool = {
    name,
    description,
    owner,
    args: argsOf(inputSchema),
    input: inputSchema as ObjectSchema,
    ...(output && "schema" in output ? { output: output.schema as ObjectSchema } : {}),
    isOpen: inputSchema["additionalProperties"] !== false,
    ...(effect === undefined ? {} : { effect }),
    ...(annotations && { annotations: annotations as Tool["annotations"] & object }),
    ...(title === undefined ? {} : { title, examples: [title] }),
    ...(icons === undefined ? {} : { icons }),
    timeoutMs: spec.timeoutMs,
    source,
  };
  const select = ownProperty(spec.selects, definition.name);
  return select === undefined ? tool : withSelect(tool, select);
}

export function effectOfClaims(annotations: Definition["annotations"]): Effect | undefined {
  if (annotations?.readOnlyHint === true) return "read";
  if (annotations?.destructiveHint === undefined) return undefined;
  return annotations.destructiveHint ? "destructive" : "write";
}

export function argsOf(schema: Readonly<Record<string, unknown>>): Arg[] {
  const { properties, required } = schema;
  if (typeof properties !== "object" || properties === null) return [];
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(properties).map(([name, written]) => {
    const property = resolveRef(written, schema);
    const { type, isNullable } = typeOf(property);
    const values = enumOf(property["enum"], type);
    const defaultValue = defaultOf(property["default"], type, values);
    return {
      name,
      description: typeof property["description"] === "string" ? property["description"] : "",
      type,
      // An argument with a default is never required: some schemas describe the arguments after defaults are filled in
      required: needed.has(name) && !isNullable && defaultValue === undefined,
      ...(values === undefined ? {} : { enum: values }),
      ...(defaultValue === undefined ? {} : { default: defaultValue }),
      role: { kind: "json" },
    };
  });
}

const scalars: readonly unknown[] = ["string", "integer", "number", "boolean"];

/** Returns the type of an argument: `json` unless its schema allows just one simple type, and perhaps null. */
function typeOf(property: Readonly<Record<string, unknown>>) {
  const branches = property["anyOf"] ?? property["oneOf"];
  const written = Array.isArray(branches)
    ? branches.map((branch) => (branch as { type?: unknown } | null)?.type)
    : [property["type"]].flat();
  const types = written.filter((type) => type !== "null");
  const isNullable = types.length < written.length;
  const [only] = types;
  // Each branch of `anyOf` may bound the value in its own way, so the type is `json`, and the schema decides
  const isScalar = types.length === 1 && scalars.includes(only);
  return { type: isScalar ? only as ArgType : "json", isNullable };
}

function enumOf(values: unknown, type: ArgType): ArgValue[] | undefined {
  if (!Array.isArray(values) || type === "json") return undefined;
  const given = values.filter((value) => value !== null);
  return given.length > 0 && given.every((value) => fits(value, type)) ? given : undefined;
}

function defaultOf(
  value: unknown,
  type: ArgType,
  values: readonly ArgValue[] | undefined,
): ArgValue | undefined {
  if (value === undefined || value === null || !fits(value, type)) return undefined;
  const known = value as ArgValue;
  return values === undefined || values.includes(known) ? known : undefined;
}

function fits(value: unknown, type: ArgType): boolean {
  return type === "json" || coerce(value, type) === value;
}
