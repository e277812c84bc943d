/**
 * The policy as a step of start-up: read once, applied to what the sources have. What reads policies is
 * loaded only where there is one.
 */

import type { Environment } from "../files/expand.ts";
import type { NamedText } from "../text/named_text.ts";
import type { PolicyResult } from "./load.ts";

/** A path or a name, a text at hand, or none. */
export type PolicyChoice = string | NamedText | undefined;

export interface PolicyStep {
  readonly policy?: PolicyChoice;
  /** True if a tool that the policy names and no config has is an error. @default false */
  readonly strict?: boolean | undefined;
}

/** The policy as it is now: what its file says later counts when it is loaded again, and not before. */
export async function readPolicyText(policy: PolicyChoice): Promise<PolicyChoice> {
  if (typeof policy !== "string") return policy;
  const { locatePolicy } = await import("./locate.ts");
  const read = await locatePolicy(policy);
  // One that cannot be read is for the loader to say
  return read.ok ? { file: read.file, text: read.text } : policy;
}

/** What the policy leaves of what was `loaded`; without one, all of it. */
export async function applyPolicyFile(
  loaded: Omit<PolicyResult, "executor" | "looksAt">,
  { policy, strict = false }: PolicyStep,
  environment: Environment,
): Promise<PolicyResult> {
  if (policy === undefined) return { ...loaded, executor: { kind: "local" }, looksAt: [] };
  const { loadPolicy } = await import("./load.ts");
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
