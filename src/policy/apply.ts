/** Applies a policy: tools that it does not list are removed first, unless its default is to enable. */

import type { Finding } from "../files/finding.ts";
import { type Environment, expandFor } from "../files/expand.ts";
import type { Executor } from "../exec/executor.ts";
import type { Sandbox } from "../exec/sandbox_view.ts";
import { nearNames } from "../text/similar_names.ts";
import { isFeature, kindOfName } from "../tool/feature.ts";
import type { Tool } from "../tool/tool.ts";
import { effectOf } from "../tool/annotations.ts";
import { demandsOf, Rule } from "./_rule.ts";
import { resolveSandbox, sandboxKeys, sandboxOfRule, type SandboxReading } from "./sandbox.ts";
import {
  aliasesOfSeveral,
  type Decision,
  parseSelector,
  selects,
  ToolSelection,
  type ToolSelector,
} from "./select.ts";
import type { ExecutorFile, PolicyFile } from "./schema.ts";

interface AppliedPolicy {
  readonly tools: readonly Tool[];
  readonly executor: Executor;
  readonly problems: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly unknownTools: readonly UnmatchedSelector[];
  /** True if tools that the policy does not list are served: then a misspelt tool is served without its constraints. */
  readonly enablesOthers: boolean;
}

export async function applyPolicy(
  policy: PolicyFile,
  tools: readonly Tool[],
  environment: Environment,
): Promise<AppliedPolicy> {
  const problems: Finding[] = [];
  const warnings: Finding[] = [];
  const resolving = { environment, problems };
  const executor = await resolveExecutor(policy.executor ?? { type: "local" }, resolving);
  const selection = new ToolSelection(policy, tools);
  const decisions = tools.map((tool) => ({ tool, decision: selection.decide(tool) }));
  const byKey = Map.groupBy(decisions, ({ decision }) => decision.isServed && decision.key);
  const ruled = new Map<string, Tool>();
  const sandboxes = new Map<string, Sandbox>();
  const reading = { policy, executor, environment, problems };
  for (const [key, written] of Object.entries(policy.tools ?? {})) {
    const group = byKey.get(key)?.map(({ tool }) => tool) ?? [];
    const rule = new Rule(key, written ?? {}, reading);
    for (const tool of await rule.apply(group)) ruled.set(tool.name, tool);
    const sandbox = await sandboxOfRule(rule, group);
    if (sandbox !== undefined) { for (const { name } of group) sandboxes.set(name, sandbox); }
  }
  const served = decisions.flatMap(({ tool, decision }) => {
    if (!decision.isServed) return [];
    const served = ruled.get(tool.name) ??
      { ...tool, ...demandsOf(tool, policy), rule: decision.rule };
    return policy.effects?.includes(effectOf(served)) === false ? [] : [served];
  });
  problems.push(...ambiguous(selection, tools));
  const unmatched = Map.groupBy(findUnmatchedSelectors(policy, tools), (each) => weightOf(each));
  problems.push(...unmatched.get("wrong") ?? []);
  warnings.push(...unmatched.get("idle") ?? []);
  warnings.push(...findContradiction(policy, decisions));
  if (served.length === 0) warnings.push(nothingLeft(policy));
  return {
    tools: served,
    executor: sandboxes.size === 0 ? executor : { ...executor, sandboxes } as Executor,
    problems,
    warnings,
    unknownTools: unmatched.get("unknown") ?? [],
    enablesOthers: policy.default === "enabled" ||
      Object.keys(policy.tools ?? {}).some((key) => parseSelector(key).kind !== "name"),
  };
}

function ambiguous(selection: ToolSelection, tools: readonly Tool[]): Finding[] {
  return tools.flatMap((tool) => {
    const [first, second] = selection.keysOf(tool);
    if (second === undefined || isFeature(tool)) return [];
    const message = `'${first}' and '${second}' are equally near to tool '${tool.name}'`;
    return [{ path: ["tools", second], message, hint: "Name the tool in a key of its own" }];
  });
}

function findContradiction(
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

interface UnmatchedSelector extends Finding {
  readonly selector: ToolSelector;
}

function findUnmatchedSelectors(policy: PolicyFile, tools: readonly Tool[]): UnmatchedSelector[] {
  const shared = aliasesOfSeveral(tools);
  const names = new Set(tools.flatMap(({ name, aliases = [] }) => {
    return [name, ...aliases.filter((alias) => !shared.has(alias))];
  }));
  const written = [
    ...Object.keys(policy.tools ?? {}).map((text) => ({ text, path: ["tools", text] })),
    ...(policy.deny ?? []).map((text, index) => ({ text, path: ["deny", index] })),
  ];
  const unmatched = written.map(({ text, path }) => ({ text, path, selector: parseSelector(text) }))
    .filter(({ text, path, selector }) => {
      // A policy may name prompts and resources that are not known: a server may list them later, or never
      if (names.has(text) || kindOfName(text) !== undefined) return false;
      if (path[0] === "deny" && shared.has(text)) return false;
      return selector.kind === "name" || !tools.some((tool) => selects(selector, tool, true));
    });
  return unmatched.map(({ text, path, selector }, index) => {
    const isSuggested = index < maxSuggested;
    return { path, selector, ...unknown(selector, text, isSuggested ? tools : [], names) };
  });
}

function weightOf({ selector, path }: UnmatchedSelector): "wrong" | "idle" | "unknown" {
  if (selector.kind !== "effect") return "unknown";
  if (!effects.includes(selector.effect)) return "wrong";
  return path[0] === "deny" ? "idle" : "unknown";
}

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
      case "effect": {
        const near = effects.includes(selector.effect) ? [] : nearNames(selector.effect, effects);
        return [`No tool has the effect '${selector.effect}'`, near];
      }
    }
  })();
  return near.length === 0 ? { message } : { message, hint: `Did you mean: ${near.join(", ")}` };
}

const effects = ["read", "write", "destructive"];

type Key = Exclude<keyof ExecutorFile, "type">;

const keysOf: Readonly<Record<ExecutorFile["type"], readonly Key[]>> = {
  local: [],
  sandbox: ["write", "read", "hide", "network", "env"],
  docker: ["image", "volumes", "working_dir", "network"],
};

async function resolveExecutor(written: ExecutorFile, reading: SandboxReading): Promise<Executor> {
  const { environment, problems } = reading;
  const path = ["executor"];
  checkKeys(written, path, problems);
  const expand = (text: string, ...at: string[]) => {
    return expandFor(text, [...path, ...at], environment, problems);
  };
  const { image = "", working_dir, network } = written;
  switch (written.type) {
    case "local":
      return { kind: "local" };
    case "sandbox": {
      const keys = sandboxKeys(written);
      if (network !== undefined && keys.network === undefined) {
        const message = `'network' is '${network}': expected none or host`;
        problems.push({ path: [...path, "network"], message });
      }
      return { kind: "local", sandbox: await resolveSandbox(keys, path, reading) };
    }
    case "docker":
      return {
        kind: "docker",
        image,
        volumes: (written.volumes ?? []).map((volume, index) => {
          return expand(volume, "volumes", String(index));
        }),
        ...(working_dir ? { workingDir: working_dir } : {}),
        ...(network ? { network } : {}),
      };
  }
}

function checkKeys(written: ExecutorFile, path: string[], problems: Finding[]): void {
  const { type, ...rest } = written;
  const known = keysOf[type];
  for (const [key, value] of Object.entries(rest) as [Key, unknown][]) {
    if (value === undefined) continue;
    const at = [...path, key];
    if (!known.includes(key)) {
      problems.push({ path: at, message: `'${key}' has no meaning for 'type: ${type}'` });
    } else if (value === "" && key !== "image") {
      // An empty value is refused, since Docker would use its default in place of it without a word
      problems.push({ path: at, message: `'${key}' is empty; leave it out` });
    } else if (typeof value === "string" && value.startsWith("-")) {
      // A value that begins with `-` is refused, since Docker would read it as an option
      problems.push({ path: at, message: `'${key}' begins with '-'` });
    }
  }
  if (type !== "docker" || written.image) return;
  problems.push({ path, message: "'type: docker' needs an 'image'" });
}
