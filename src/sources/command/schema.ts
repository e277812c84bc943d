/** The schema of a CLI config file, with the keys of its documentation; `check.ts` has the rules between keys. */

import * as z from "zod";
import {
  columnNames,
  columnsMeta,
  columnsSchema,
  itemsMeta,
  jsonPath,
  selectWords,
} from "../../files/select_schema.ts";
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
  return z.preprocess(
    withoutNotes,
    z.strictObject(shape).meta({ patternProperties: { "^x-": {} } }),
  );
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
  type: z.enum(["string", "integer", "number"]).nullish().meta({
    description: "What each item is",
    default: "string",
  }),
  enum: allowed.meta({ description: "The values there are" }),
  pattern: text.meta({ description: "An RE2 expression that each whole item matches" }),
});

const neverName = z.string().regex(
  /^(?:\/[^*?[\]]*|[^*?[\]/]+\*?)$/,
  "expected a name, the beginning of names (.env*), or a directory that begins with '/'",
);

const neverForm = "expected a list of names, or private for what usually holds credentials";

const argShape = {
  name: name.meta({ description: "Unique within the tool", examples: ["limit"] }),
  aliases: z.array(name).nullish().meta({
    description: "Names that agents guess: taken for this one, not shown; '{from}..{to}' joins two",
  }),
  description: text.meta({ description: "What agents read and search" }),
  type: z.enum(["string", "integer", "number", "boolean", "array"]).nullish().meta({
    description: "What the value is",
    default: "string",
  }),
  required: flag.meta({ description: "Whether it must be given", default: false }),
  default: value.nullish().meta({ description: "Used when the agent gives nothing" }),
  value: value.nullish().meta({
    description: "Fixed value of every call; agents do not see the argument",
  }),
  examples: z.array(value).nullish().meta({ description: "Values that show what is meant" }),
  flag: text.meta({
    description: "The option the value follows; joined to it where it ends in '='",
    examples: ["--limit="],
  }),
  positional: flag.meta({ description: "true: the value is a word without a flag" }),
  cwd: flag.meta({ description: "true: the value is the directory the program runs in" }),
  stdin: flag.meta({ description: "true: the value is the program's standard input" }),
  enum: allowed.meta({ description: "The values there are" }),
  items: itemsSchema.nullish().meta({ description: "Of a list: what each item is" }),
  min_items: count.meta({ description: "Of a list: how many items at least" }),
  max_items: count.meta({ description: "Of a list: how many items at most", default: 1000 }),
  separator: z.string().min(1, "expected a text, found an empty one").nullish().meta({
    description: "Of a list: joins the items to one text",
    examples: [","],
  }),
  text: z.enum(textRules).nullish().meta({
    description:
      "Characters a text may have: line (no line breaks), multiline, json, url (no white space) or any",
    default: "line, or multiline for the standard input",
  }),
  pattern: text.meta({ description: "An RE2 expression that the whole value matches" }),
  pattern_words: z.string().min(1, "expected a text, found an empty one").nullish().meta({
    description: "What the pattern allows, as a refusal says it after 'expected'",
  }),
  allow_leading_dash: flag.meta({
    description: "true: the program passes it on, so '-' may begin it",
  }),
  min: z.number().nullish().meta({ description: "The least number" }),
  max: z.number().nullish().meta({ description: "The greatest number" }),
  within: z.string().min(1, "expected a directory, found an empty text").nullish().meta({
    description: "A directory that the value, as a path, lies in",
  }),
  never: z.union([z.literal("private"), z.array(neverName)], neverForm).nullish().meta({
    description:
      "Names, beginnings of names (.env*) and directories that a path must not go through; private for all that usually hold credentials",
    examples: [[".git"]],
  }),
  excludes: z.array(z.string().min(1, "expected a text, found an empty one")).nullish().meta({
    description: "Texts that the value must not contain, in any letter case",
    examples: [["--"]],
  }),
  holds_links: flag.meta({
    description: "true: links in the directory to run in must stay within it too",
  }),
};

const argSchema = map(argShape);

const globalArgSchema = map(
  z.object(argShape).pick({
    name: true,
    description: true,
    type: true,
    required: true,
    default: true,
    value: true,
    flag: true,
    positional: true,
  }).shape,
);

/** An argument of a tool that is no program: without the keys of command lines and directories. */
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

const env = z.record(z.string(), z.string()).nullish().meta({
  description: "Variables added to the program's environment",
  examples: [{ LANG: "C" }],
});

const effect = z.enum(["read", "write", "destructive"]);

const unknownArgs = z.enum(["ignore", "refuse"]).nullish();

const sandbox = map({
  write: z.array(name).nullish().meta({
    description: "What they write, relative to the directory of a call",
    examples: [[".git"]],
  }),
  read: z.array(name).nullish().meta({ description: "What they read although it is hidden" }),
  env: z.array(variableName).nullish().meta({ description: "Variables that they need" }),
  network: z.enum(["host"]).nullish().meta({ description: "host: they need the network" }),
}).nullish().meta({
  description: "In a config that comes with climax: what its programs need of a sandbox",
});

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
  name: name.meta({
    description: "Unique; 64 letters, digits, '_', '-' work everywhere",
    examples: ["gh_issue_list"],
  }),
  description: text.meta({ description: "What agents read and search" }),
  command: text.meta({
    description: "Words after the config's own, split at white space",
    examples: ["issue list"],
  }),
  argv: template.nullish().meta({ description: "The rest of the command line as a template" }),
  args: z.array(argSchema).nullish().meta({
    description: "Arguments, each with a role: flag, positional, stdin or cwd",
  }),
  timeout: timeout.nullish().meta({ description: "Seconds a call may take", default: 30 }),
  soft_timeout: softTimeout.nullish().meta({
    description: "Seconds, 45 at most, after which a call continues in the background; 0: never",
  }),
  background: flag.meta({
    description: "true: calls continue in the background at once; false: never",
  }),
  env,
  working_dir: text.meta({ description: "The directory this tool runs in" }),
  start_in: text.meta({
    description: "Directory to start the program in when 'argv' names the directory of the call",
  }),
  stdin: text.meta({ description: "A text for the program's standard input" }),
  show_stderr: flag.meta({
    description: "false: what the program writes to its standard error is discarded",
  }),
  output: z.enum(["text", "json", "jsonl", "csv", "image"]).nullish().meta({
    description: "What the program prints",
    default: "text",
  }),
  csv: map({
    delimiter: z.string().regex(
      /^[^"\r\n]$/u,
      "expected one character other than a quote or a line break",
    )
      .nullish().meta({ description: "The character between the cells of a row", default: "," }),
    columns: columnNames.nullish().meta({
      description: "Their names, where the first line has none",
    }),
  }).nullish().meta({ description: "How to read the CSV that the program prints" }),
  select: z.union([
    jsonPath,
    columnNames,
    map({
      items: jsonPath.nullish().meta(itemsMeta),
      columns: columnsSchema.nullish().meta(columnsMeta),
    }),
  ], selectWords).nullish().meta({
    description: "Part of the output that the result has: a JSONPath, columns, or both",
    examples: ["$.items[*].metadata.name"],
  }),
  output_schema: z.record(z.string(), z.unknown()).nullish().meta({
    description: "A JSON Schema (draft 2020-12) of the structured result, declared and checked",
  }),
  exit_codes: exitCodes.meta({
    description: "What exit codes mean that are no failures, such as 1: nothing matched",
  }),
  effect: effect.nullish().meta({
    description: "What a call may change, at its worst; absent counts as write",
  }),
  // The key for an effect in later configs of the Python CLImax
  risk: effect.nullish().meta({ description: "The same as effect" }),
  unknown_args: unknownArgs.meta({
    description: "Whether an unknown argument is refused; absent: as its effect has it",
  }),
  confirm_message: text.meta({
    description: "Extra text of the confirmation question; {name} is an argument's value",
  }),
  confirm_with: z.union([z.string(), template], "expected the name of an argument, or words")
    .nullish().meta({
      description:
        "For the question: a boolean argument such as dry_run, with which the call prints what it would do, or words after the program",
    }),
  idempotent: flag.meta({ description: "Whether a second call changes nothing more" }),
  open_world: flag.meta({ description: "Whether calls reach beyond this machine" }),
  sandbox,
  requires: z.enum(["sandbox"]).nullish().meta({
    description:
      "sandbox: runs code of a project, and is served only in a sandbox, or if a person confirms each call",
  }),
  examples: texts.meta({ description: "Requests in people's words that this tool answers" }),
  aliases: z.array(name).nullish().meta({
    description:
      "Earlier names, and names that agents guess: callable, not shown; several tools may share one",
  }),
});

/** Operating systems, as people call them. */
const systems = ["linux", "macos", "windows"] as const;

export const configSchema = map({
  name: name.meta({ description: "What agents see and filter by", examples: ["gh"] }),
  description: text.meta({ description: "What the program is for" }),
  command: z.string().meta({
    description:
      "The program, and words before those of every tool; split at white space, no shell",
    examples: ["gh"],
  }),
  program: map({
    version: z.string().meta({
      description: "The beginning of what it answers to --version",
      examples: ["GNU Make "],
    }),
    install: z.string().meta({ description: "How to get it" }),
  }).nullish().meta({ description: "Which program is meant, where others have its name" }),
  env,
  inherit_env: z.array(variableName).nullish().meta({
    description: "Variables of the server that the program inherits; absent: all of them",
  }),
  mask: z.array(z.enum(["url_credentials"])).nullish().meta({
    description: "What is masked in what programs print",
  }),
  working_dir: text.meta({ description: "The directory programs run in", examples: ["~/project"] }),
  category: text.meta({ description: "What agents filter by", examples: ["vcs"] }),
  tags: texts.meta({ description: "Words that search finds the tools by" }),
  systems: z.array(z.enum(systems)).nullish().meta({
    description: "Operating systems that have such a program; absent: all",
  }),
  effect: effect.nullish().meta({
    description:
      "What a call may change, at its worst; absent counts as write; for tools that set none",
  }),
  open_world: flag.meta({
    description: "Whether calls reach beyond this machine; for tools that do not set it",
  }),
  unknown_args: unknownArgs.meta({
    description:
      "Whether an unknown argument is refused; absent: as its effect has it; for tools that do not set it",
  }),
  soft_timeout: softTimeout.nullish().meta({
    description:
      "Seconds, 45 at most, after which calls continue in the background; for tools that set none",
  }),
  exit_codes: exitCodes.meta({
    description: "What exit codes mean that are no failures; for tools that set none",
  }),
  sandbox,
  global_args: z.array(globalArgSchema).nullish().meta({
    description:
      "Arguments whose default is put at the end of every command, or before the -- of its 'argv'",
  }),
  tools: z.array(toolSchema).meta({ description: "The tools" }),
});

/** An argument as written. */
export type ArgFile = z.infer<typeof argSchema>;

/** A tool as written. */
export type ToolFile = z.infer<typeof toolSchema>;

/** A config as written. */
export type ConfigFile = z.infer<typeof configSchema>;
