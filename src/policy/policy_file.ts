/** Reads the policy at the start and applies it to all tools. Without a policy, the modules for it are not loaded. */

import { plural } from "../text/plural.ts";
import { declaresChange } from "../tool/annotations.ts";
import type { AbsentOwner, Tool, WithheldTool } from "../tool/tool.ts";
import type { Environment } from "../files/expand.ts";
import type { Problem } from "../errors.ts";
import { contains, homeFolders, ownFolder, realPathOf } from "../process/folders.ts";
import type { Finding } from "../files/finding.ts";
import type { NamedText } from "../text/named_text.ts";
import type { Executor } from "../exec/executor.ts";
import type { PolicyResult } from "./load.ts";

export type PolicyChoice = string | NamedText | undefined;

export interface PolicyStep {
  readonly policy?: PolicyChoice;
  readonly strict?: boolean | undefined;
  readonly absent?: readonly AbsentOwner[] | undefined;
  readonly withheld?: readonly WithheldTool[] | undefined;
  /** True if programs run in a sandbox with the default bounds unless the policy says where they run. */
  readonly sandbox?: boolean | undefined;
}

/** Reads the text of the policy now. Later changes of its file have no effect until it is read again. */
export async function readPolicyText(policy: PolicyChoice): Promise<PolicyChoice> {
  if (typeof policy !== "string") return policy;
  const { locatePolicy } = await import("./locate.ts");
  const read = await locatePolicy(policy);
  return read.ok ? { file: read.file, text: read.text } : policy;
}

export async function applyPolicyFile(
  loaded: Omit<PolicyResult, "executor">,
  { policy, strict = false, absent, withheld, sandbox = false }: PolicyStep,
  environment: Environment,
): Promise<PolicyResult> {
  if (policy === undefined) {
    const tools = loaded.tools.map(withoutPolicy);
    const all = { ...loaded, tools, executor: { kind: "local" } } as const;
    return sandbox ? await withSandbox(all, environment) : all;
  }
  const { loadPolicy } = await import("./load.ts");
  const applied = await loadPolicy(policy, loaded.tools, {
    environment,
    strict,
    absent,
    withheld,
    isComplete: loaded.problems.length === 0,
  });
  const result = {
    ...applied,
    problems: [...loaded.problems, ...applied.problems],
    unreadable: loaded.unreadable || applied.unreadable,
    warnings: [...loaded.warnings, ...applied.warnings],
  };
  if (sandbox) return await withSandbox(result, environment);
  const asksOutside = applied.tools.some(({ needsConsent }) => needsConsent === "outside");
  return asksOutside ? await withPossibleSandbox(result, environment) : result;
}

/** Runs programs in a sandbox if this computer can make one and the policy does not say where programs run. */
async function withPossibleSandbox(result: PolicyResult, environment: Environment) {
  const { executor, tools } = result;
  if (executor.kind !== "local" || executor.sandbox !== undefined) return result;
  const { sandboxProblem } = await import("../exec/sandbox_check.ts");
  const problem = homeProblem() ?? await sandboxProblem([{ network: "none" }]);
  if (problem !== undefined) {
    const message = `Each tool that changes something asks a person: ${problem.message}`;
    return { ...result, warnings: [...result.warnings, { ...problem, message }] };
  }
  const exempt = new Set(tools.filter(({ needsHost }) => needsHost).map(({ name }) => name));
  const held = await withSandbox(result, environment);
  return { ...held, executor: { ...held.executor, exempt } as Executor };
}

/** Reports that climax starts in the home folder or above it, where a sandbox that lets programs write protects little. */
function homeProblem(): Problem | undefined {
  const { home } = homeFolders() ?? {};
  const own = realPathOf(ownFolder()) ?? ownFolder();
  if (home === undefined || !contains(own, realPathOf(home) ?? home)) return undefined;
  const message = `climax starts in '${own}', which is your home folder or one above it`;
  return { message, hint: "Start it in the folder of the work" };
}

async function withSandbox(result: PolicyResult, environment: Environment): Promise<PolicyResult> {
  const { executor } = result;
  const { resolveSandbox } = await import("./sandbox.ts");
  if (executor.kind !== "local") {
    const message =
      `--sandbox holds programs of this machine, and the policy says 'type: ${executor.kind}'`;
    return { ...result, problems: [...result.problems, { message, hint: "Leave --sandbox out" }] };
  }
  if (executor.sandbox !== undefined) return result;
  const problems: Finding[] = [];
  const sandbox = await resolveSandbox({}, [], { environment, problems });
  return {
    ...result,
    executor: { ...executor, sandbox },
    problems: [...result.problems, ...problems],
  };
}

/** Stands in logs in place of the rule that decided about a call, if there is no policy. */
export const noPolicy = "no policy";

/** Returns the tool as it is served without a policy: if it declares a change, each call asks a person first. */
export function withoutPolicy(tool: Tool): Tool {
  const asks = tool.needsConsent ?? declaresChange(tool);
  return asks ? { ...tool, needsConsent: true, rule: noPolicy } : tool;
}

export function confirmationWords(tools: readonly Tool[], policy: unknown): string {
  const asking = tools.filter(({ needsConsent }) => needsConsent === true).length;
  const others = tools.filter(({ needsConsent }) => needsConsent === "outside").length;
  const why = policy === undefined ? ": those that say they write" : ", as the policy says";
  const more = others === 0 ? "" : `, and ${others} by their arguments`;
  return `${asking} of ${plural(tools.length, "tool")} ask a person first${more}${why}`;
}
