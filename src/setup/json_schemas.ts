/** Creates JSON Schemas of climax's files from their readers, for completion and checks in editors. */

import * as z from "zod";
import { policySchema } from "../policy/schema.ts";
import { configSchema } from "../sources/command/schema.ts";
import { projectSchema } from "../sources/upstream/schema.ts";

/** The part of a schema that is read here. */
export interface JsonSchema {
  title?: string;
  description?: string;
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  patternProperties?: Record<string, JsonSchema>;
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  [key: string]: unknown;
}

/** The files that have a JSON Schema. */
export type SchemaName = "config" | "policy" | "project";

const sources: Readonly<Record<SchemaName, readonly [schema: z.ZodType, title: string]>> = {
  config: [configSchema, "A climax config: a command-line program and its tools"],
  policy: [policySchema, "A climax policy: what an agent may call"],
  project: [projectSchema, "A project's MCP servers and language model"],
};

/** The schema of a file, with a description on every key. */
export function jsonSchema(name: SchemaName): JsonSchema {
  const [source, title] = sources[name];
  // The schema of the output: the input of a key with a transformation would be anything
  const { $schema, ...schema } = z.toJSONSchema(source, {
    io: "output",
    target: "draft-7",
    unrepresentable: "any",
  }) as JsonSchema;
  // Where the schema store, which editors ask, has it
  return { $schema, $id: `https://json.schemastore.org/climax-${name}.json`, title, ...schema };
}
