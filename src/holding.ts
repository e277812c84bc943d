/** What the policy, and who narrows further, leave of tools: at the start, and whenever there are others. */

import type { Environment } from "./document/expand.ts";
import { type NamedText, readTextFile } from "./document/text_file.ts";
import type { PolicyResult } from "./policy/load.ts";

/** Takes out tools, and says why. */
export type Narrow = (
  loaded: Pick<PolicyResult, "tools" | "executor">,
) => Promise<Pick<PolicyResult, "tools" | "warnings">>;

/** What `narrow` leaves of what was loaded. */
export async function narrowed(
  loaded: PolicyResult,
  narrow: Narrow | undefined,
): Promise<PolicyResult> {
  if (narrow === undefined || loaded.problems.length > 0) return loaded;
  const { tools, warnings } = await narrow(loaded);
  return { ...loaded, tools, warnings: [...loaded.warnings, ...warnings] };
}

/** The policy as it is now: what the file says later counts when it is loaded again, and not before. */
export async function atHand(
  policy: string | NamedText | undefined,
): Promise<string | NamedText | undefined> {
  if (typeof policy !== "string") return policy;
  const read = await readTextFile(policy);
  // One that cannot be read is for the loader to say
  return read.ok ? { file: policy, text: read.text } : policy;
}

/** What is asked of a policy. */
export interface HoldOptions {
  readonly policy?: string | NamedText | undefined;
  /** Whether a tool that the policy names and nothing has is a problem. @default false */
  readonly strict?: boolean | undefined;
}

/** What the policy leaves of `loaded`; without one, all of it. */
export async function applyPolicy(
  loaded: Omit<PolicyResult, "executor" | "looksAt">,
  { policy, strict = false }: HoldOptions,
  environment: Environment,
): Promise<PolicyResult> {
  if (policy === undefined) {
    const { tools, problems, unreadable, warnings } = loaded;
    return { tools, problems, unreadable, warnings, executor: { kind: "local" }, looksAt: [] };
  }
  const { loadPolicy } = await import("./policy/load.ts");
  const applied = await loadPolicy(policy, loaded.tools, {
    environment,
    // What a broken config would have had is not known
    strict: strict && loaded.problems.length === 0,
  });
  return {
    ...applied,
    problems: [...loaded.problems, ...applied.problems],
    unreadable: loaded.unreadable || applied.unreadable,
    warnings: [...loaded.warnings, ...applied.warnings],
  };
}
