/**
 * Policy file → the tools it leaves, with what it demands of them. Fails closed: a policy that is
 * missing, unreadable or wrong is a reason not to start.
 */

import { locate, readDocument } from "../document/document.ts";
import { type Problem } from "../errors.ts";
import type { Environment } from "../document/expand.ts";
import type { Executor } from "../exec/executor.ts";
import { type NamedText, readTextFile } from "../document/text_file.ts";
import type { Tool } from "../tool/tool.ts";
import { applyPolicy } from "./apply.ts";
import { checkNames, policySchema } from "./schema.ts";

/** What a policy leaves of a catalogue. */
export interface PolicyResult {
  readonly tools: readonly Tool[];
  readonly executor: Executor;
  /** Paths that had to be looked at besides the file: those of `within`, variables expanded. */
  readonly looksAt: readonly string[];
  /** Why there must be no start. */
  readonly problems: readonly Problem[];
  /** Whether the file was not found or could not be read at all. */
  readonly unreadable: boolean;
  readonly warnings: readonly Problem[];
}

/** Settings of {@linkcode loadPolicy}. */
export interface PolicyOptions {
  readonly environment: Environment;
  /** Whether a tool that no config has is a problem instead of a warning. */
  readonly strict: boolean;
}

/** Applies the policy at a path, or the one at hand, to `tools`. */
export async function loadPolicy(
  policy: string | NamedText,
  tools: readonly Tool[],
  { environment, strict }: PolicyOptions,
): Promise<PolicyResult> {
  const nothing = {
    tools: [],
    executor: { kind: "local" },
    looksAt: [],
    warnings: [],
    unreadable: false,
  } as const;
  const path = typeof policy === "string" ? policy : policy.file;
  const read = typeof policy === "string"
    ? await readTextFile(policy)
    : { ok: true, text: policy.text } as const;
  if (!read.ok) return { ...nothing, problems: [read.problem], unreadable: true };
  const document = await readDocument(path, read.text, policySchema, { check: checkNames });
  if (!document.ok) return { ...nothing, problems: document.problems };

  const applied = await applyPolicy(document.value, tools, environment);
  const unknown = await locate(path, read.text, applied.unknownTools);
  const isWrong = strict || applied.enablesOthers;
  return {
    tools: applied.tools,
    executor: applied.executor,
    looksAt: applied.looksAt,
    unreadable: false,
    problems: [
      ...await locate(path, read.text, applied.problems),
      ...(isWrong ? unknown : []),
    ],
    warnings: [
      ...await locate(path, read.text, applied.warnings),
      ...(isWrong ? [] : unknown),
    ],
  };
}
