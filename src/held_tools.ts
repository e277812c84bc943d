/** What a policy leaves of the tools that sources have; without one, all of them. */

import type { Environment } from "./document/expand.ts";
import { type NamedText, readTextFile } from "./document/text_file.ts";
import type { PolicyResult } from "./policy/load.ts";

/** Path or text of a policy; absent: there is none. */
export type PolicySource = string | NamedText | undefined;

/** How tools are held. */
export interface HoldOptions {
  readonly policy?: PolicySource;
  /** Whether a tool that the policy names and no config has is an error. @default false */
  readonly strict?: boolean | undefined;
}

/** A policy is read once: what the file says later does not count. */
export async function atHand(policy: PolicySource): Promise<PolicySource> {
  if (typeof policy !== "string") return policy;
  const read = await readTextFile(policy);
  // One that cannot be read is for the loader to say
  return read.ok ? { file: policy, text: read.text } : policy;
}

/** What the policy leaves of `loaded`, with what is wrong or doubtful about either. */
export async function heldByPolicy(
  loaded: Omit<PolicyResult, "executor" | "looksAt">,
  { policy, strict = false }: HoldOptions,
  environment: Environment,
): Promise<PolicyResult> {
  if (policy === undefined) return { ...loaded, executor: { kind: "local" }, looksAt: [] };
  const { loadPolicy } = await import("./policy/load.ts");
  const applied = await loadPolicy(policy, loaded.tools, {
    environment,
    strict,
    // What a broken config would have had is not known
    isComplete: loaded.problems.length === 0,
  });
  return {
    ...applied,
    problems: [...loaded.problems, ...applied.problems],
    unreadable: loaded.unreadable || applied.unreadable,
    warnings: [...loaded.warnings, ...applied.warnings],
  };
}
