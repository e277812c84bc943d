/** The schema of a config file. */

import * as z from "zod";
import {
  columnNames,
  columnsMeta,
  columnsSchema,
  itemsMeta,
  jsonPath,
  selectWords,
} from "../../files/select_schema.ts";
import { argSchema, flag, globalArgSchema, map, name, scalar, text } from "./arg_schema.ts";

const texts = z.array(z.string()).nullish();

const variableName = z.string().regex(/^[^=\0]+$/, "expected the name of a variable");

/** A timeout in seconds. Its bound is 2³¹ − 1 ms, the longest time that `setTimeout` can wait. */
const timeout = seconds(z.number().positive("expected more than 0 seconds"));

/** A call that takes longer than this many seconds becomes a background job; 0 means never. */
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

const sandboxNeeds = map({
  write: z.array(name).nullish().meta({
    description: "Paths that they write, relative to the directory of a call",
    examples: [[".git"]],
  }),
  read: z.array(name).nullish().meta({ description: "Hidden paths that they read" }),
  env: z.array(variableName).nullish().meta({ description: "Variables that they need" }),
  network: z.enum(["host"]).nullish().meta({ description: "host: the programs need the network" }),
}).nullish();

const sandbox = sandboxNeeds.meta({
  description: "In a config that comes with climax: the needs of its programs in a sandbox",
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
    columns: columnNames.nullish().meta({ description: "Their names, if the first line has none" }),
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
    description: "Meanings of exit codes that are not failures, such as 1: nothing matched",
  }),
  retry_with: z.record(z.string(), scalar).nullish().meta({
    description:
      "Arguments of a second run, for a call that ends with a code of exit_codes and prints nothing",
    examples: [{ hidden: true }],
  }),
  effect: effect.nullish().meta({
    description: "The worst effect of a call; absent counts as write",
  }),
  // Configs for later versions of the Python CLImax write `risk` for `effect`
  risk: effect.nullish().meta({ description: "The same as effect" }),
  unknown_args: unknownArgs.meta({
    description: "Whether an unknown argument is refused; absent: it depends on the effect",
  }),
  loses: z.union([
    z.enum(["text", "files", "staged"]),
    z.record(z.string(), z.enum(["files", "staged"])),
  ], "expected text, files, staged, or one of the last two by argument").nullish().meta({
    description:
      "All that a destructive call loses: the text that it replaces; or files at its paths, or what is staged, unless git has the same; by argument, that of the last one given counts",
    examples: [{ path: "files", staged: "staged" }],
  }),
  confirm_message: text.meta({
    description: "First line of the confirmation question; {name} is an argument's value",
  }),
  confirm_with: z.union([z.string(), template], "expected the name of an argument, or words")
    .nullish().meta({
      description:
        "For the question: a boolean argument such as dry_run, with which the call prints what it would do, or words after the program",
    }),
  open_world: flag.meta({ description: "Whether calls reach beyond this machine" }),
  sandbox,
  requires: z.enum(["sandbox"]).nullish().meta({
    description:
      "sandbox: runs code of a project, and is served only in a sandbox, or if a person confirms each call",
  }),
  examples: texts.meta({ description: "Requests in everyday words that this tool answers" }),
  aliases: z.array(name).nullish().meta({
    description:
      "Earlier names, and names that agents guess: callable, not shown; several tools may share one",
  }),
});

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
      description: "The beginning of its answer to --version",
      examples: ["GNU Make "],
    }),
    install: z.string().meta({ description: "How to get it" }),
  }).nullish().meta({ description: "Tells the program from others with its name" }),
  env,
  inherit_env: z.array(variableName).nullish().meta({
    description: "Variables of the server that the program inherits; absent: all of them",
  }),
  mask: z.array(z.enum(["url_credentials"])).nullish().meta({
    description: "Credentials to mask in the output of programs",
  }),
  working_dir: text.meta({ description: "The directory programs run in", examples: ["~/project"] }),
  category: text.meta({ description: "What agents filter by", examples: ["vcs"] }),
  tags: texts.meta({ description: "Words that search finds the tools by" }),
  systems: z.array(z.enum(systems)).nullish().meta({
    description: "Operating systems that have such a program; absent: all",
  }),
  effect: effect.nullish().meta({
    description: "The worst effect of a call; absent counts as write; for tools that set none",
  }),
  open_world: flag.meta({
    description: "Whether calls reach beyond this machine; for tools that do not set it",
  }),
  unknown_args: unknownArgs.meta({
    description:
      "Whether an unknown argument is refused; absent: it depends on the effect; for tools that do not set it",
  }),
  soft_timeout: softTimeout.nullish().meta({
    description:
      "Seconds, 45 at most, after which calls continue in the background; for tools that set none",
  }),
  exit_codes: exitCodes.meta({
    description: "Meanings of exit codes that are not failures; for tools that set none",
  }),
  sandbox: z.union([z.literal("none").nullish(), sandboxNeeds]).meta({
    description: "The same for all tools; none: a sandbox would hide what they look at",
  }),
  for_files: texts.meta({
    description: "Files, such as *.db, for which the set @code has this config",
    examples: [["package.json"]],
  }),
  global_args: z.array(globalArgSchema).nullish().meta({
    description:
      "Arguments whose default is put at the end of every command, or before the -- of its 'argv'",
  }),
  tools: z.array(toolSchema).meta({ description: "The tools" }),
});

export type ToolFile = z.infer<typeof toolSchema>;

export type ConfigFile = z.infer<typeof configSchema>;
