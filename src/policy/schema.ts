/** The schema of a policy file. A key without a value is an error where it might lift a constraint (YAML: null). */

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
  required: z.literal(true, "expected true: a policy cannot make an argument optional").optional(),
  value: z.union(
    [z.string(), z.number(), z.boolean(), z.array(scalar)],
    "expected a string, a finite number, a boolean, or a list of those",
  ).optional(),
  max_length: count,
  pattern: text,
  pattern_words: z.string().min(1, "expected a text, found an empty one").optional(),
  min: number,
  max: number,
  within: directory,
  allow_leading_dash: flag,
  secret: flag,
});

const paths = z.array(z.string().min(1, "expected a path, found an empty text")).optional();

const sandboxShape = { write: paths, read: paths, hide: paths, env: names };

/** The sandbox of a tool, or of an MCP server. */
export const sandboxSchema = z.strictObject({
  ...sandboxShape,
  network: z.enum(["none", "host"]).optional(),
});

const toolSchema = z.strictObject({
  description: text,
  args: z.record(z.string(), constraintSchema).optional(),
  concurrency: count,
  max_output: count,
  background: flag,
  confirm: flag,
  effect: effect.optional(),
  unknown_args: unknownArgs,
  select: selectSchema.optional(),
  sandbox: sandboxSchema.optional(),
});

const executorSchema = z.strictObject({
  type: z.enum(["local", "sandbox", "docker"]),
  ...sandboxShape,
  image: text,
  volumes: z.array(z.string()).optional(),
  working_dir: text,
  network: text,
});

const wholeSchema = z.strictObject({
  executor: executorSchema.optional(),
  default: z.enum(["disabled", "enabled"]).optional(),
  effects: z.array(effect).min(1, "expected at least one effect, found none").optional(),
  categories: names,
  deny: names,
  confirm: z.enum(["write", "destructive"]).optional(),
  unknown_args: unknownArgs,
  results: z.enum(["contract", "compact"]).optional(),
  tools: z.record(z.string(), toolSchema.nullable()).nullish(),
});

/** The schema of a whole policy. It moves a tool that is `disabled` among the `tools` to `deny`. */
export const policySchema = z.preprocess((value) => {
  const { tools, deny = [] } = Object(value);
  const denied = Object.keys(Object(tools)).filter((name) => tools[name] === "disabled");
  if (denied.length === 0 || !Array.isArray(deny)) return value;
  const others = Object.entries(tools).filter(([name]) => !denied.includes(name));
  return { ...value as object, tools: Object.fromEntries(others), deny: [...deny, ...denied] };
}, wholeSchema);

/** Reports names that the schema would silently drop with their constraints: records of zod omit `__proto__`. */
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

/** A policy as written. */
export type PolicyFile = z.infer<typeof policySchema>;

export type ToolPolicyFile = z.infer<typeof toolSchema>;

export type ConstraintFile = z.infer<typeof constraintSchema>;

export type SandboxFile = z.infer<typeof sandboxSchema>;

export type ExecutorFile = z.infer<typeof executorSchema>;
