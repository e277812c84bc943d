/**
 * Policy file → the tools it leaves, with what it demands of them. Fails closed: a policy that is
 * missing, unreadable or wrong is a reason not to start.
 */

import { locate, readDocument } from "../files/document.ts";
import { type Problem } from "../errors.ts";
import type { Environment } from "../files/expand.ts";
import type { Executor } from "../exec/executor.ts";
import type { NamedText } from "../text/named_text.ts";
import type { Tool } from "../tool/tool.ts";
import { applyPolicy } from "./apply.ts";
import { locatePolicy } from "./locate.ts";
import { checkNames, type PolicyFile, policySchema } from "./schema.ts";

/** What a policy leaves of a catalogue. */
export interface PolicyResult {
  readonly tools: readonly Tool[];
  readonly executor: Executor;
  /** What agents read of tools, where the policy says so. */
  readonly results?: "contract" | "short" | "compact";
  /** Paths that had to be looked at besides the file: those of `within`, variables expanded. */
  readonly looksAt: readonly string[];
  /** The reason why there must be no start. */
  readonly problems: readonly Problem[];
  /** True if the file was not found or could not be read at all. */
  readonly unreadable: boolean;
  readonly warnings: readonly Problem[];
}

export interface PolicyOptions {
  readonly environment: Environment;
  /** True if a tool that no config has is a problem instead of a warning. */
  readonly strict: boolean;
  /** True if `tools` are all there are: if not, none is known not to be there. @default true */
  readonly isComplete?: boolean;
}

/** A policy file that was read, or why it could not be. */
export type PolicyDocument =
  | { readonly ok: true; readonly file: string; readonly text: string; readonly policy: PolicyFile }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly unreadable: boolean };

/** Reads the policy of a name, at a path or at hand, by itself. */
export async function readPolicy(policy: string | NamedText): Promise<PolicyDocument> {
  const read = typeof policy === "string"
    ? await locatePolicy(policy)
    : { ok: true, ...policy } as const;
  if (!read.ok) return { ok: false, problems: [read.problem], unreadable: true };
  const { file, text } = read;
  const document = await readDocument(file, text, policySchema, { check: checkNames });
  if (!document.ok) return { ok: false, problems: document.problems, unreadable: false };
  return { ok: true, file, text, policy: document.value };
}

/** Applies the policy at a path, or the one at hand, to `tools`. */
export async function loadPolicy(
  policy: string | NamedText,
  tools: readonly Tool[],
  { environment, strict, isComplete = true }: PolicyOptions,
): Promise<PolicyResult> {
  const read = await readPolicy(policy);
  if (!read.ok) {
    const { problems, unreadable } = read;
    return {
      tools: [],
      executor: { kind: "local" },
      looksAt: [],
      warnings: [],
      problems,
      unreadable,
    };
  }
  const { file, text } = read;
  const applied = await applyPolicy(read.policy, tools, environment);
  const unknown = isComplete ? await locate(file, text, applied.unknownTools) : [];
  const isWrong = strict || applied.enablesOthers;
  return {
    tools: applied.tools,
    executor: applied.executor,
    ...(read.policy.results === undefined ? {} : { results: read.policy.results }),
    looksAt: applied.looksAt,
    unreadable: false,
    problems: [
      ...await locate(file, text, applied.problems),
      ...(isWrong ? unknown : []),
    ],
    warnings: [
      ...(isComplete ? await locate(file, text, applied.warnings) : []),
      ...(isWrong ? [] : unknown),
    ],
  };
}
