/**
 * Policy as written → tools with their constraints. A tool that the policy does not list is gone
 * before anything else sees it, unless the policy's default is to enable.
 */

import type { Finding } from "../files/finding.ts";
import type { Environment } from "../files/expand.ts";
import type { Executor } from "../exec/executor.ts";
import { nearNames } from "../text/similar_names.ts";
import type { Tool } from "../tool/tool.ts";
import { effectOf } from "../tool/annotations.ts";
import { resolveExecutor } from "./_executor.ts";
import { demandsOf, Rule } from "./_rule.ts";
import {
  type Decision,
  parseSelector,
  selects,
  ToolSelection,
  type ToolSelector,
} from "./select.ts";
import type { PolicyFile } from "./schema.ts";

/** What a policy makes of a catalogue. */
export interface AppliedPolicy {
  readonly tools: readonly Tool[];
  readonly executor: Executor;
  /** Paths of `within`, variables expanded. */
  readonly looksAt: readonly string[];
  readonly problems: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** Tools the policy names and no config has. */
  readonly unknownTools: readonly Finding[];
  /** True if a tool that was misspelt would be served without its limits. */
  readonly enablesOthers: boolean;
}

/** Applies `policy` to `tools`; `environment` answers for the variables it uses. */
export async function applyPolicy(
  policy: PolicyFile,
  tools: readonly Tool[],
  environment: Environment,
): Promise<AppliedPolicy> {
  const problems: Finding[] = [];
  const warnings: Finding[] = [];
  const looksAt: string[] = [];
  const executor = resolveExecutor(policy.executor ?? { type: "local" }, environment, problems);
  const selection = new ToolSelection(policy, tools);
  const decisions = tools.map((tool) => ({ tool, decision: selection.decide(tool) }));
  const byKey = Map.groupBy(
    decisions.filter(({ decision }) => decision.isServed && decision.key !== undefined),
    ({ decision }) => decision.isServed ? decision.key! : "",
  );
  const ruled = new Map<string, Tool>();
  const reading = { policy, executor, environment, problems, looksAt };
  for (const [key, written] of Object.entries(policy.tools ?? {})) {
    const group = byKey.get(key)?.map(({ tool }) => tool) ?? [];
    const rule = new Rule(key, written ?? {}, reading);
    for (const tool of await rule.apply(group)) ruled.set(tool.name, tool);
  }
  const served = decisions.flatMap(({ tool, decision }) => {
    if (!decision.isServed) return [];
    const left = ruled.get(tool.name) ??
      { ...tool, ...demandsOf(tool, policy), rule: decision.rule };
    // The policy itself may have another opinion of its effect
    return policy.effects?.includes(effectOf(left)) === false ? [] : [left];
  });
  problems.push(...ambiguous(selection, tools));
  const unfit = Map.groupBy(unfitSelectors(policy, tools), (each) => weightOf(each));
  problems.push(...unfit.get("wrong") ?? []);
  warnings.push(...unfit.get("idle") ?? []);
  warnings.push(...contradicted(policy, decisions));
  if (served.length === 0) warnings.push(nothingLeft(policy));
  return {
    tools: served,
    executor,
    looksAt,
    problems,
    warnings,
    unknownTools: unfit.get("unknown") ?? [],
    enablesOthers: policy.default === "enabled" ||
      Object.keys(policy.tools ?? {}).some((key) => parseSelector(key).kind !== "name"),
  };
}

/** Tools of which two keys are equally near: neither may be passed over without a word. */
function ambiguous(selection: ToolSelection, tools: readonly Tool[]): Finding[] {
  return tools.flatMap((tool) => {
    const [first, second] = selection.keysOf(tool);
    if (second === undefined) return [];
    const message = `'${first}' and '${second}' are equally near to tool '${tool.name}'`;
    return [{ path: ["tools", second], message, hint: "Name the tool in a key of its own" }];
  });
}

/** Tools that are listed by name and all the same not served. */
function contradicted(
  { tools: listed }: PolicyFile,
  decisions: readonly { readonly tool: Tool; readonly decision: Decision }[],
): Finding[] {
  return decisions.flatMap(({ tool: { name }, decision }) => {
    if (decision.isServed || !Object.hasOwn(listed ?? {}, name)) return [];
    return [{
      path: ["tools", name],
      message: `Tool '${name}' is listed and not served: ${decision.reason}`,
    }];
  });
}

function nothingLeft({ default: preset, tools }: PolicyFile): Finding {
  const finding = { path: [], message: "The policy leaves no tool" };
  if (preset === "enabled" || Object.keys(tools ?? {}).length > 0) return finding;
  return { ...finding, hint: "'default: enabled' serves what nothing else refuses" };
}

/** A key of `tools`, or an entry of `deny`, that no tool fits. */
interface Unfit extends Finding {
  readonly selector: ToolSelector;
}

/** Keys of `tools` and entries of `deny` that no tool fits. */
function unfitSelectors(policy: PolicyFile, tools: readonly Tool[]): Unfit[] {
  const names = new Set(tools.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  const written = [
    ...Object.keys(policy.tools ?? {}).map((text) => ({ text, path: ["tools", text] })),
    ...(policy.deny ?? []).map((text, index) => ({ text, path: ["deny", index] })),
  ];
  const unfit = written.map(({ text, path }) => ({ text, path, selector: parseSelector(text) }))
    .filter(({ text, selector }) => {
      if (names.has(text)) return false;
      return selector.kind === "name" || !tools.some((tool) => selects(selector, tool, true));
    });
  return unfit.map(({ text, path, selector }, index) => {
    const isSuggested = index < maxSuggested;
    return { path, selector, ...unknown(selector, text, isSuggested ? tools : [], names) };
  });
}

/**
 * What it means that no tool fits: a word that can fit none is wrong; an effect that no tool has is not
 * misspelt, and to deny it says nothing; everything else may be misspelt.
 */
function weightOf({ selector, path }: Unfit): "wrong" | "idle" | "unknown" {
  if (selector.kind !== "effect") return "unknown";
  if (!effects.includes(selector.effect)) return "wrong";
  return path[0] === "deny" ? "idle" : "unknown";
}

/** Unknown names that are worth a suggestion: a policy may name a third of a million. */
const maxSuggested = 20;

function unknown(
  selector: ToolSelector,
  text: string,
  tools: readonly Tool[],
  names: ReadonlySet<string>,
): Pick<Finding, "message" | "hint"> {
  const [message, near] = ((): [string, string[]] => {
    switch (selector.kind) {
      case "name":
        return [`No config has a tool '${text}'`, tools.length > 0 ? nearNames(text, names) : []];
      case "glob":
        return [`No config has a tool that '${text}' fits`, []];
      case "cli": {
        const clis = new Set(tools.map(({ owner }) => owner.name));
        return [`No tool is of the CLI '${selector.name}'`, nearNames(selector.name, clis)];
      }
      case "category": {
        const known = new Set(tools.flatMap(({ owner }) => owner.category ?? []));
        return [`No tool is of the category '${selector.name}'`, nearNames(selector.name, known)];
      }
      case "effect":
        return [`No tool has the effect '${selector.effect}'`, nearNames(selector.effect, effects)];
    }
  })();
  return near.length === 0 ? { message } : { message, hint: `Did you mean: ${near.join(", ")}` };
}

const effects = ["read", "write", "destructive"];
