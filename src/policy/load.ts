/** Loads a policy, also one for CLImax 0.5, and applies it to tools. A missing or wrong policy stops the start. */

import { locate, readDocument } from "../files/document.ts";
import type { Problem } from "../errors.ts";
import type { Environment } from "../files/expand.ts";
import type { Executor } from "../exec/executor.ts";
import type { NamedText } from "../text/named_text.ts";
import type { AbsentOwner, Tool, WithheldTool } from "../tool/tool.ts";
import { applyPolicy } from "./apply.ts";
import { locatePolicy } from "./locate.ts";
import {
  type Decision,
  mayMatch,
  mayServe,
  parseSelector,
  selects,
  ToolSelection,
} from "./select.ts";
import { checkNames, type PolicyFile, policySchema } from "./schema.ts";
import * as z from "zod";
import { climax } from "../process/own_command.ts";
import type { Translation } from "../files/finding.ts";
import { describeIssues } from "../files/issues.ts";
import { isObject, ownProperty } from "../text/own_property.ts";

export interface PolicyResult {
  readonly tools: readonly Tool[];
  readonly executor: Executor;
  readonly results?: "contract" | "compact";
  readonly admits?: (owner: AbsentOwner) => boolean;
  readonly problems: readonly Problem[];
  readonly unreadable: boolean;
  readonly warnings: readonly Problem[];
}

interface PolicyOptions {
  readonly environment: Environment;
  readonly strict: boolean;
  readonly absent?: readonly AbsentOwner[] | undefined;
  readonly withheld?: readonly WithheldTool[] | undefined;
  /** False if some tools are not known yet, so that a name of no known tool is not reported. @default true */
  readonly isComplete?: boolean;
}

type PolicyDocument =
  | NamedText & {
    readonly ok: true;
    readonly policy: PolicyFile;
    readonly notes?: readonly Problem[] | undefined;
  }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly unreadable: boolean };

export async function readPolicy(policy: string | NamedText): Promise<PolicyDocument> {
  const read = typeof policy === "string"
    ? await locatePolicy(policy)
    : { ok: true, ...policy } as const;
  if (!read.ok) return { ok: false, problems: [read.problem], unreadable: true };
  const { file, text } = read;
  const options = { translate: policyOfOriginal, check: checkNames };
  const document = await readDocument(file, text, policySchema, options);
  if (!document.ok) return { ok: false, problems: document.problems, unreadable: false };
  return { ok: true, file, text, policy: document.value, notes: document.notes };
}

export async function loadPolicy(
  policy: string | NamedText,
  tools: readonly Tool[],
  { environment, strict, isComplete = true, absent = [], withheld = [] }: PolicyOptions,
): Promise<PolicyResult> {
  const read = await readPolicy(policy);
  if (!read.ok) {
    return { ...read, tools: [], executor: { kind: "local" }, warnings: [] };
  }
  const { file, text } = read;
  const applied = await applyPolicy(read.policy, tools, environment);
  const misspelt = applied.unknownTools.filter(({ selector }) => {
    return !absent.some((owner) => mayMatch(selector, owner)) &&
      !withheld.some(({ tool }) => selects(selector, tool, true));
  });
  const unknown = isComplete ? await locate(file, text, misspelt) : [];
  // A bundled policy such as `git-readonly` may name tools that are not served, which is no mistake
  const isBundled = file.startsWith("bundled:");
  const isWrong = strict || (applied.enablesOthers && !isBundled);
  return {
    tools: applied.tools,
    executor: applied.executor,
    ...(read.policy.results === undefined ? {} : { results: read.policy.results }),
    admits: (owner) => mayServe(read.policy, owner),
    unreadable: false,
    problems: [...await locate(file, text, applied.problems), ...(isWrong ? unknown : [])],
    warnings: [
      ...(read.notes ?? []),
      ...(isComplete ? await locate(file, text, applied.warnings) : []),
      ...(isWrong ? [] : unknown),
    ],
  };
}

export interface PolicyExplanation {
  readonly decision: Decision;
  readonly place: RulePlace;
  readonly confirm?: RulePlace | undefined;
}

type RulePlace = Pick<Problem, "file" | "line" | "column">;

/** Explains for each tool of `asked` which rule of the policy serves or denies it. `asked` are some of `tools`. */
export async function explainDecisions(
  document: PolicyDocument & { readonly ok: true },
  tools: readonly Tool[],
  asked = tools,
): Promise<PolicyExplanation[]> {
  const selection = new ToolSelection(document.policy, tools);
  const places = new Map<string, Promise<RulePlace>>();
  const placeAt = (path: Decision["path"]) =>
    places.getOrInsertComputed(JSON.stringify(path), () => placeOf(document, path));
  const { tools: rules, confirm } = document.policy;
  return await Promise.all(asked.map(async (tool) => {
    const decision = selection.decide(tool);
    const key = decision.isServed ? decision.key : undefined;
    const own = key !== undefined && rules?.[key]?.confirm !== undefined;
    const path = own ? ["tools", key, "confirm"] : confirm && ["confirm"];
    return { decision, place: await placeAt(decision.path), confirm: path && await placeAt(path) };
  }));
}

async function placeOf(
  { file, text }: PolicyDocument & { readonly ok: true },
  path: Decision["path"],
): Promise<RulePlace> {
  const [place] = await locate(file, text, [{ path, message: "" }]);
  return { file: place!.file!, line: place!.line!, column: place!.column! };
}

const key = "require_approval";

const unasked = () =>
  `approve would run calls because no person is there; ${climax()} approve answers them`;

const schema = z.object({
  approval: z.strictObject({
    global: z.enum(["none", "destructive", "write", "all"]).default("write"),
    headless: z.string().refine((word) => word === "deny", { error: unasked }).optional(),
    tools: z.record(z.string(), z.boolean()).default({}),
  }),
});

/** Turns a policy of CLImax 0.5 into one of climax, which serves no more tools and keeps all constraints. */
function policyOfOriginal(value: unknown): Translation {
  const { approval, ...policy } = isObject(value) ? value : {};
  const tools = Object.entries(isObject(policy["tools"]) ? policy["tools"] : {});
  const isForeign = tools.some(([, tool]) => ownProperty(tool, key) !== undefined);
  if (approval === undefined && !isForeign) return { value, notes: [] };
  // A policy of CLImax 0.5 that says nothing about approval asks before each call that changes something
  const written = approval ?? (policy["confirm"] === undefined ? {} : { global: "none" });
  const read = schema.safeParse({ approval: written }, { reportInput: true });
  const { global: asked = "none", tools: overrides = {} } = read.data?.approval ?? {};
  const problems = describeIssues(read.error?.issues ?? [], schema);
  if (approval !== undefined && policy["confirm"] !== undefined) {
    problems.push({ path: ["confirm"], message: "'confirm' and 'approval' are one key" });
  }
  const all = new Map(tools.map(([name, tool]) => {
    const { [key]: own, ...others } = isObject(tool) ? tool : {};
    const says = [own, ownProperty(overrides, name), others["confirm"]];
    const isSaid = says.some((each) => each !== undefined) && (isObject(tool) || tool === null);
    return [name, isSaid ? { ...others, confirm: says.some(Boolean) } : tool];
  }));
  // A new key for one tool would replace the rule of a glob for this tool, since only the nearest key counts
  const isBroad = tools.some(([name]) => parseSelector(name).kind !== "name");
  for (const [name, confirm] of Object.entries(overrides)) {
    if (all.has(name)) continue;
    const message = `Another key of 'tools' may be for '${name}': write 'confirm' there`;
    if (isBroad) problems.push({ path: ["approval", "tools", name], message });
    else if (policy["default"] === "enabled") all.set(name, { confirm });
  }
  const confirm = asked === "none" ? {} : { confirm: asked === "all" ? "read" : asked };
  const words = Object.values(confirm).map((effect) => `'confirm: ${effect}', and `);
  const message = `The approvals of CLImax 0.5 are read as ${words}'confirm' of tools`;
  const ours = all.size === 0 ? policy : { ...policy, tools: Object.fromEntries(all) };
  return { value: { ...ours, ...confirm }, notes: [{ path: ["approval"], message }], problems };
}
