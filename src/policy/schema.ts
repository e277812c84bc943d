/** The schema of a policy file. A key without a value (null in YAML) is an error if the key could hold a constraint. */

import * as z from "zod";
import type { Finding, Path } from "../files/finding.ts";
import { selectSchema } from "../files/select_schema.ts";
import { ownProperty } from "../text/own_property.ts";

const text = z.string().optional();
const number = z.number().optional();
const flag = z.boolean().optional();
const count = z.number().int("expected a whole number").min(1, "expected at least 1").optional();

const directory = z.string().nullable()
  .refine((value) => value !== null, 'expected a directory, found nothing; home is written "~"')
  .refine((value) => value !== "", "expected a directory, found an empty text")
  .optional();

const effect = z.enum(["read", "write", "destructive"]);
const names = z.array(z.string().min(1, "expected a name, found an empty text")).optional();
const unknownArgs = z.enum(["ignore", "refuse"]).optional();
const scalar = z.union(
  [z.string(), z.number(), z.boolean()],
  "expected a string, a finite number or a boolean",
);

const constraintSchema = z.strictObject({
  required: z.literal(true, "expected true: a policy cannot make an argument optional").optional()
    .meta({ description: "true: the argument must be given" }),
  value: z.union(
    [z.string(), z.number(), z.boolean(), z.array(scalar)],
    "expected a string, a finite number, a boolean, or a list of those",
  ).optional().meta({ description: "Fixed value of every call; agents do not see the argument" }),
  max_length: count.meta({ description: "The greatest number of characters of the value as text" }),
  pattern: text.meta({ description: "An RE2 expression that the whole value matches, as text" }),
  pattern_words: z.string().min(1, "expected a text, found an empty one").optional().meta({
    description: "Names what the pattern allows, after 'expected' in a refusal",
  }),
  min: number.meta({ description: "The least number" }),
  max: number.meta({ description: "The greatest number" }),
  within: directory.meta({
    description: "A directory that the value, as a path, lies in",
    examples: ["./notes"],
  }),
  allow_leading_dash: flag.meta({
    description: "Whether a value without a flag may begin with '-'",
    default: false,
  }),
  secret: flag.meta({ description: "Whether logs show *** instead of the value", default: false }),
});

const paths = z.array(z.string().min(1, "expected a path, found an empty text")).optional();

const sandboxShape = {
  write: paths.meta({
    description: "In a sandbox: paths that programs may write, in addition to a temporary folder",
    default: ["."],
  }),
  read: paths.meta({
    description:
      "In a sandbox: paths that they may read in addition to the system and 'write'; / is all that is not hidden",
    default: ["/"],
  }),
  hide: paths.meta({
    description: "In a sandbox: paths that they do not see, in addition to keys and credentials",
    examples: [["secrets"]],
  }),
  env: names.meta({
    description: "In a sandbox: variables that they may inherit in addition to PATH, HOME and such",
    examples: [["CARGO_HOME"]],
  }),
};

export const sandboxSchema = z.strictObject({
  ...sandboxShape,
  network: z.enum(["none", "host"]).optional().meta({
    description: "none, or the network of this machine",
    default: "none",
  }),
});

const toolSchema = z.strictObject({
  description: text.meta({ description: "Shown and searched instead of the config's" }),
  args: z.record(z.string(), constraintSchema).optional().meta({
    description: "Constraints, by argument",
  }),
  concurrency: count.meta({ description: "Calls of this tool that may run at once" }),
  max_output: count.meta({
    description: "KiB to keep of the beginning and of the end of each output stream",
  }),
  background: flag.meta({
    description: "true: calls continue in the background at once; false: never",
  }),
  confirm: flag.meta({ description: "Whether a person is asked before each call" }),
  effect: effect.optional().meta({
    description: "Overrides the effect that the config or the server declares",
  }),
  unknown_args: unknownArgs.meta({
    description: "Whether an unknown argument is refused; absent: it depends on the effect",
  }),
  select: selectSchema.optional().meta({
    description: "Part of the values in results that agents get: a JSONPath, columns, or both",
    examples: [{ "items": "$.items[*]", "columns": ["number", "title"] }],
  }),
  sandbox: sandboxSchema.optional().meta({
    description:
      "Holds the programs of these tools; keys that are left out are those of the executor",
  }),
});

const executorSchema = z.strictObject({
  type: z.enum(["local", "sandbox", "docker"]).meta({
    description: "Where programs run: this machine, a sandbox on it, or a container",
    default: "local",
  }),
  ...sandboxShape,
  image: text.meta({ description: "The image of the containers", examples: ["debian:12"] }),
  volumes: z.array(z.string()).optional().meta({
    description: "Paths of this machine that the containers see",
    examples: [["./work:/work:ro"]],
  }),
  working_dir: text.meta({ description: "The directory in the container", examples: ["/work"] }),
  network: text.meta({ description: "The network of the containers; none or host for a sandbox" }),
});

const wholeSchema = z.strictObject({
  executor: executorSchema.optional().meta({ description: "Where programs run" }),
  default: z.enum(["disabled", "enabled"]).optional().meta({
    description: "enabled: also tools that are not listed, unconstrained",
    default: "disabled",
  }),
  effects: z.array(effect).min(1, "expected at least one effect, found none").optional().meta({
    description: "Only tools of these effects; absent: all",
  }),
  categories: names.meta({ description: "Only tools of these categories; absent: all" }),
  deny: names.meta({
    description: "Tools that are never served, by name or kind",
    examples: [["git_push", "effect:destructive"]],
  }),
  confirm: z.enum(["read", "write", "destructive", "outside"]).optional().meta({
    description:
      "A person is asked before each call of a tool with this effect or a worse one; outside: before what leaves the folder or this machine, or cannot be taken back",
  }),
  unknown_args: unknownArgs.meta({
    description: "Whether an unknown argument is refused; absent: it depends on the effect",
  }),
  results: z.enum(["contract", "compact"]).optional().meta({
    description: "Format of climax_search results",
    default: "contract",
  }),
  tools: z.record(z.string(), toolSchema.nullable()).nullish().meta({
    description: "The tools, by name, glob or kind; a key without a value lists them unchanged",
    examples: [{ "git_log": null }],
  }),
});

/** Reads a policy. A tool with the value `disabled` under `tools` is denied as if it were listed under `deny`. */
export const policySchema = z.preprocess((value) => {
  const { tools, deny = [] } = Object(value);
  const denied = Object.keys(Object(tools)).filter((name) => tools[name] === "disabled");
  if (denied.length === 0 || !Array.isArray(deny)) return value;
  const others = Object.entries(tools).filter(([name]) => !denied.includes(name));
  return { ...value as object, tools: Object.fromEntries(others), deny: [...deny, ...denied] };
}, wholeSchema);

/** Reports keys named `__proto__`, which zod would drop in silence together with the constraints in them. */
export function checkNames(value: unknown): Finding[] {
  const tools = ownProperty(value, "tools");
  if (typeof tools !== "object" || tools === null) return [];
  const found = prototypeKey(tools, ["tools"]);
  for (const [name, tool] of Object.entries(tools)) {
    found.push(...prototypeKey(ownProperty(tool, "args"), ["tools", name, "args"]));
  }
  return found;
}

function prototypeKey(value: unknown, path: Path): Finding[] {
  const key = "__proto__";
  if (ownProperty(value, key) === undefined) return [];
  return [{ path: [...path, key], message: `A policy cannot hold the name '${key}'` }];
}

export type PolicyFile = z.infer<typeof policySchema>;

export type ToolPolicyFile = z.infer<typeof toolSchema>;

export type ConstraintFile = z.infer<typeof constraintSchema>;

export type SandboxFile = z.infer<typeof sandboxSchema>;

export type ExecutorFile = z.infer<typeof executorSchema>;
