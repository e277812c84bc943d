/** What people write in a policy file. */

import { z } from "zod";

const text = z.string().nullish();
const number = z.number().nullish();
const flag = z.boolean().nullish();
const count = z.number().int("expected a whole number").min(1, "expected at least 1").nullish();

const constraintSchema = z.strictObject({
  pattern: text,
  min: number,
  max: number,
  within: text,
  allow_leading_dash: flag,
  secret: flag,
});

const toolSchema = z.strictObject({
  description: text,
  args: z.record(z.string(), constraintSchema.nullable()).nullish(),
  concurrency: count,
  max_output: count,
});

const executorSchema = z.strictObject({
  type: z.enum(["local", "docker"]),
  image: text,
  volumes: z.array(z.string()).nullish(),
  working_dir: text,
  network: text,
});

/** A whole policy file. */
export const policySchema = z.strictObject({
  executor: executorSchema.nullish(),
  default: z.enum(["disabled", "enabled"]).nullish(),
  tools: z.record(z.string(), toolSchema.nullable()).nullish(),
});

/** A policy as written. */
export type PolicyFile = z.infer<typeof policySchema>;

/** What a policy says of one tool, as written. */
export type ToolPolicyFile = z.infer<typeof toolSchema>;

/** What a policy says of one argument, as written. */
export type ConstraintFile = z.infer<typeof constraintSchema>;

/** How programs are run, as written. */
export type ExecutorFile = z.infer<typeof executorSchema>;
