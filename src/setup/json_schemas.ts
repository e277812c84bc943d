/** Creates JSON Schemas of climax's files from their readers, for completion and checks in editors. */

import * as z from "zod";
import { policySchema } from "../policy/schema.ts";
import { configSchema } from "../sources/command/schema.ts";
import { projectSchema } from "../sources/upstream/schema.ts";
import { wordsOn } from "./_schema_words.ts";
import type { SchemaName } from "./file_names.ts";

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

/** The kinds of the maps within a map of a kind, by their keys. */
const kindsBelow: Readonly<Record<string, string>> = {
  "config.tools": "tool",
  "config.program": "program",
  "config.sandbox": "request",
  "tool.sandbox": "request",
  "config.global_args": "arg",
  "tool.args": "arg",
  "tool.csv": "csv",
  "tool.select": "select",
  "arg.items": "items",
  "policy.executor": "executor",
  "policy.tools": "rule",
  "rule.args": "constraint",
  "rule.select": "select",
  "rule.sandbox": "sandbox",
  "project.mcpServers": "server",
  "server.sandbox": "sandbox",
  "server.auth": "auth",
  "server.select": "select",
  "project.llmProvider": "provider",
  "project.embeddings": "embeddings",
  "project.projectContext": "context",
  "project.groupingConstraints": "constraints",
};

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
  explain(schema, name, name === "config");
  // Where the schema store, which editors ask, has it
  return { $schema, $id: `https://json.schemastore.org/climax-${name}.json`, title, ...schema };
}

function explain(schema: JsonSchema, kind: string, hasNotes: boolean): void {
  for (const each of schema.anyOf ?? []) explain(each, kind, hasNotes);
  if (schema.items !== undefined) explain(schema.items, kind, hasNotes);
  const { properties, additionalProperties } = schema;
  if (typeof additionalProperties === "object") explain(additionalProperties, kind, hasNotes);
  if (properties === undefined) return;
  if (hasNotes) schema.patternProperties = { "^x-": {} };
  for (const [key, value] of Object.entries(properties)) {
    const below = kindsBelow[`${kind}.${key}`];
    if (below !== undefined) explain(value, below, hasNotes);
    const words = wordsOn(kind, key);
    if (words === undefined) continue;
    value.description = words.says;
    if (words.example !== undefined) value["examples"] = [words.example];
    if (words.otherwise !== undefined) value["default"] = words.otherwise;
  }
}
