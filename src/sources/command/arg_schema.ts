/** The schema of an argument in a config file, and schemas that arguments and tools share. */

import * as z from "zod";
import { isVisible, visibleName } from "../../text/escape.ts";
import { lineSteps, textRules } from "../../tool/tool.ts";

export const text = z.string().nullish();
export const flag = z.boolean().nullish();
export const name = z.string().min(1, "expected a name, found nothing").refine(
  isVisible,
  visibleName,
);
export const scalar = z.union(
  [z.string(), z.number(), z.boolean()],
  "expected a string, a finite number or a boolean",
);
const value = z.union(
  [z.string(), z.number(), z.boolean(), z.array(scalar)],
  "expected a string, a finite number, a boolean, or a list of those",
);
const allowed = z.array(scalar).min(1, "expected at least one value, found none").nullish();
const count = z.number().int("expected a whole number").min(0, "expected at least 0").nullish();

export function map<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.preprocess(
    withoutNotes,
    z.strictObject(shape).meta({ patternProperties: { "^x-": {} } }),
  );
}

function withoutNotes(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !isNote(key)));
}

export function isNote(key: string): boolean {
  return key.startsWith("x-");
}

const itemsSchema = map({
  type: z.enum(["string", "integer", "number"]).nullish().meta({
    description: "The type of each item",
    default: "string",
  }),
  enum: allowed.meta({ description: "The allowed values" }),
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
    description:
      "Names that agents guess for this argument; they are not shown; '{from}..{to}' joins two",
  }),
  description: text.meta({ description: "What agents read and search" }),
  type: z.enum(["string", "integer", "number", "boolean", "array"]).nullish().meta({
    description: "The type of the value",
    default: "string",
  }),
  required: flag.meta({ description: "Whether it must be given", default: false }),
  default: value.nullish().meta({ description: "Used when the agent gives nothing" }),
  value: value.nullish().meta({
    description: "Fixed value of every call; agents do not see the argument",
  }),
  examples: z.array(value).nullish().meta({ description: "Sample values" }),
  flag: text.meta({
    description: "The option the value follows; joined to it where it ends in '='",
    examples: ["--limit="],
  }),
  positional: flag.meta({ description: "true: the value is a word without a flag" }),
  cwd: flag.meta({ description: "true: the value is the directory the program runs in" }),
  stdin: flag.meta({ description: "true: the value is the program's standard input" }),
  lines: z.enum(lineSteps).nullish().meta({
    description: "The lines of the standard output that it takes; the program does not get it",
  }),
  enum: allowed.meta({ description: "The allowed values" }),
  items: itemsSchema.nullish().meta({ description: "The items of a list" }),
  min_items: count.meta({ description: "The least number of items in a list" }),
  max_items: count.meta({ description: "The greatest number of items in a list", default: 1000 }),
  separator: z.string().min(1, "expected a text, found an empty one").nullish().meta({
    description: "Joins the items of a list to one text",
    examples: [","],
  }),
  text: z.enum(textRules).nullish().meta({
    description:
      "Characters a text may have: line (no line breaks), multiline, json, url (no white space) or any",
    default: "line, or multiline for the standard input",
  }),
  pattern: text.meta({ description: "An RE2 expression that the whole value matches" }),
  pattern_words: z.string().min(1, "expected a text, found an empty one").nullish().meta({
    description: "Names what the pattern allows, after 'expected' in a refusal",
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
  effect: z.enum(["write", "destructive"]).nullish().meta({
    description:
      "The effect of a call that gives it, where it is not the tool's; of several the worst counts",
  }),
  holds_links: flag.meta({
    description: "true: links in the directory to run in must stay within it too",
  }),
};

export const argSchema = map(argShape);

export const globalArgSchema = map(
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

export type ArgFile = z.infer<typeof argSchema>;
