/** The schema of a CLI config file, with the keys of its documentation; `read_config.ts` has the rules between keys. */

import * as z from "zod";
import { columnNames, columnsSchema, jsonPath, selectWords } from "../../files/select_schema.ts";
import { isVisible, visibleName } from "../../text/escape.ts";
import { textRules } from "../../tool/tool.ts";

const text = z.string().nullish();
const texts = z.array(z.string()).nullish();
const flag = z.boolean().nullish();
const name = z.string().min(1, "expected a name, found nothing").refine(isVisible, visibleName);
const scalar = z.union(
  [z.string(), z.number(), z.boolean()],
  "expected a string, a finite number or a boolean",
);
const value = z.union(
  [z.string(), z.number(), z.boolean(), z.array(scalar)],
  "expected a string, a finite number, a boolean, or a list of those",
);
const allowed = z.array(scalar).min(1, "expected at least one value, found none").nullish();
const count = z.number().int("expected a whole number").min(0, "expected at least 0").nullish();

/** Allows no other keys except notes, which begin with `x-`. */
function map<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.preprocess(withoutNotes, z.strictObject(shape));
}

function withoutNotes(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const keys = Object.keys(value);
  if (!keys.some(isNote)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !isNote(key)));
}

/** Returns whether a key is a note for readers of the file. */
export function isNote(key: string): boolean {
  return key.startsWith("x-");
}

const itemsSchema = map({
  type: z.enum(["string", "integer", "number"]).nullish(),
  enum: allowed,
  pattern: text,
});

const neverName = z.string().regex(
  /^(?:\/[^*?[\]]*|[^*?[\]/]+\*?)$/,
  "expected a name, the beginning of names (.env*), or a directory that begins with '/'",
);

const neverForm = "expected a list of names, or private for what usually holds credentials";

const argShape = {
  name,
  aliases: z.array(name).nullish(),
  description: text,
  type: z.enum(["string", "integer", "number", "boolean", "array"]).nullish(),
  required: flag,
  default: value.nullish(),
  value: value.nullish(),
  examples: z.array(value).nullish(),
  flag: text,
  positional: flag,
  cwd: flag,
  stdin: flag,
  enum: allowed,
  items: itemsSchema.nullish(),
  min_items: count,
  max_items: count,
  separator: z.string().min(1, "expected a text, found an empty one").nullish(),
  text: z.enum(textRules).nullish(),
  pattern: text,
  pattern_words: z.string().min(1, "expected a text, found an empty one").nullish(),
  allow_leading_dash: flag,
  min: z.number().nullish(),
  max: z.number().nullish(),
  within: z.string().min(1, "expected a directory, found an empty text").nullish(),
  never: z.union([z.literal("private"), z.array(neverName)], neverForm).nullish(),
  excludes: z.array(z.string().min(1, "expected a text, found an empty one")).nullish(),
  holds_links: flag,
};

const argSchema = map(argShape);

/** The schema of an argument of a tool that is no program: it has no keys of command lines and directories. */
export const valueArgSchema = map(
  z.object(argShape).omit({
    value: true,
    flag: true,
    positional: true,
    cwd: true,
    stdin: true,
    separator: true,
    allow_leading_dash: true,
    within: true,
    never: true,
    holds_links: true,
  }).shape,
);

const variableName = z.string().regex(/^[^=\0]+$/, "expected the name of a variable");

/** Timeout in seconds. The upper bound is that of `setTimeout` in the HTML standard: 2³¹ − 1 ms. */
const timeout = seconds(z.number().positive("expected more than 0 seconds"));

/** Seconds until a call continues in the background; 0: never. */
const softTimeout = seconds(z.number().min(0, "expected 0 seconds or more"));

function seconds(schema: z.ZodNumber) {
  return z.preprocess(
    (written) =>
      typeof written === "string" && /^\d+(?:\.\d+)?$/.test(written) ? +written : written,
    schema.max(2_147_483, "expected at most 2147483 seconds"),
  );
}

const env = z.record(z.string(), z.string()).nullish();

const effect = z.enum(["read", "write", "destructive"]);

const unknownArgs = z.enum(["ignore", "refuse"]).nullish();

const sandbox = map({
  write: z.array(name).nullish(),
  read: z.array(name).nullish(),
  env: z.array(variableName).nullish(),
  network: z.enum(["host"]).nullish(),
}).nullish();

const exitCodes = z.record(
  z.string().regex(
    /^(?:[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])$/,
    "expected an exit code from 1 to 255; 0 needs no meaning",
  ),
  z.string().min(1, "expected what the code means, found an empty text"),
).nullish();

const template = z.array(
  z.union([z.string(), z.array(z.string())], "expected a string or a list of strings"),
);

const toolSchema = map({
  name,
  description: text,
  command: text,
  argv: template.nullish(),
  args: z.array(argSchema).nullish(),
  timeout: timeout.nullish(),
  soft_timeout: softTimeout.nullish(),
  background: flag,
  env,
  working_dir: text,
  start_in: text,
  stdin: text,
  show_stderr: flag,
  output: z.enum(["text", "json", "jsonl", "csv", "image"]).nullish(),
  csv: map({
    delimiter: z.string().regex(
      /^[^"\r\n]$/u,
      "expected one character other than a quote or a line break",
    )
      .nullish(),
    columns: columnNames.nullish(),
  }).nullish(),
  select: z.union([
    jsonPath,
    columnNames,
    map({ items: jsonPath.nullish(), columns: columnsSchema.nullish() }),
  ], selectWords).nullish(),
  output_schema: z.record(z.string(), z.unknown()).nullish(),
  exit_codes: exitCodes,
  effect: effect.nullish(),
  // The key for an effect in later configs of the Python CLImax
  risk: effect.nullish(),
  unknown_args: unknownArgs,
  confirm_message: text,
  confirm_with: z.union([z.string(), template], "expected the name of an argument, or words")
    .nullish(),
  idempotent: flag,
  open_world: flag,
  sandbox,
  requires: z.enum(["sandbox"]).nullish(),
  examples: texts,
  aliases: z.array(name).nullish(),
});

/** Operating systems, by the names that people use. */
const systems = ["linux", "macos", "windows"] as const;

export const configSchema = map({
  name,
  description: text,
  command: z.string(),
  program: map({ version: z.string(), install: z.string() }).nullish(),
  env,
  inherit_env: z.array(variableName).nullish(),
  mask: z.array(z.enum(["url_credentials"])).nullish(),
  working_dir: text,
  category: text,
  tags: texts,
  systems: z.array(z.enum(systems)).nullish(),
  effect: effect.nullish(),
  open_world: flag,
  unknown_args: unknownArgs,
  soft_timeout: softTimeout.nullish(),
  exit_codes: exitCodes,
  sandbox,
  global_args: z.array(argSchema).nullish(),
  tools: z.array(toolSchema),
});

/** An argument as a config has it. */
export type ArgFile = z.infer<typeof argSchema>;

/** A tool as a config has it. */
export type ToolFile = z.infer<typeof toolSchema>;

/** A config as its file has it. */
export type ConfigFile = z.infer<typeof configSchema>;
