/**
 * What people write: the shape of a CLI config file, keys as the documents define them.
 *
 * Shape only. Rules between keys stand in `check.ts`, the types the program uses in `tool/tool.ts`.
 */

import * as z from "zod";

const text = z.string().nullish();
const name = z.string().min(1, "expected a name, found nothing");
const scalar = z.union(
  [z.string(), z.number(), z.boolean()],
  "expected a string, a finite number or a boolean",
);

const neverName = z.string()
  .regex(/^(?:\.\*|[^*?[\]]+)$/, "expected a name, '.*' or a directory, found another pattern")
  .regex(/^(?:\/.*|[^/]+)$/, "expected one name, or a directory that begins with '/'");

/** An argument of a tool, or one of the config's `global_args`. */
export const argSchema = z.strictObject({
  name,
  description: text,
  type: z.enum(["string", "integer", "number", "boolean"]).nullish(),
  required: z.boolean().nullish(),
  default: scalar.nullish(),
  flag: text,
  positional: z.boolean().nullish(),
  cwd: z.boolean().nullish(),
  stdin: z.boolean().nullish(),
  enum: z.array(scalar).min(1, "expected at least one value, found none").nullish(),
  pattern: text,
  min: z.number().nullish(),
  max: z.number().nullish(),
  within: z.string().min(1, "expected a directory, found an empty text").nullish(),
  never: z.array(neverName).nullish(),
});

const variableName = z.string().regex(/^[^=\0]+$/, "expected the name of a variable");

/**
 * Seconds a tool may take. The upper bound is what a timer can count: 2³¹ − 1 ms, as `setTimeout`
 * has it in the HTML standard.
 */
const timeout = z.number()
  .positive("expected more than 0 seconds")
  .max(2_147_483, "expected at most 2147483 seconds");

const toolSchema = z.strictObject({
  name,
  description: text,
  command: text,
  args: z.array(argSchema).nullish(),
  timeout: timeout.nullish(),
});

/** A whole config file. */
export const configSchema = z.strictObject({
  name,
  description: text,
  command: z.string(),
  env: z.record(z.string(), z.string()).nullish(),
  inherit_env: z.array(variableName).nullish(),
  mask: z.array(z.enum(["url_credentials"])).nullish(),
  working_dir: text,
  category: text,
  tags: z.array(z.string()).nullish(),
  global_args: z.array(argSchema).nullish(),
  tools: z.array(toolSchema),
});

/** An argument as written. */
export type ArgFile = z.infer<typeof argSchema>;

/** A tool as written. */
export type ToolFile = z.infer<typeof toolSchema>;

/** A config as written. */
export type ConfigFile = z.infer<typeof configSchema>;
