/**
 * Decides by a policy which tools are served. A denial outweighs all else; of several keys that fit a tool, the most
 * specific counts.
 */

import type { Path } from "../files/finding.ts";
import { effectOf } from "../tool/annotations.ts";
import { isFeature, kindOfName } from "../tool/feature.ts";
import type { AbsentOwner, Effect, Tool } from "../tool/tool.ts";
import type { PolicyFile } from "./schema.ts";

export type Decision =
  | { readonly isServed: true; readonly rule: string; readonly path: Path; readonly key?: string }
  | {
    readonly isServed: false;
    readonly rule: string;
    readonly path: Path;
    readonly reason: string;
  };

export type ToolSelector =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "glob"; readonly glob: string; readonly literal: number }
  | { readonly kind: "cli" | "category"; readonly name: string }
  | { readonly kind: "effect"; readonly effect: string };

/** The kinds of selectors, the most specific kind first. */
const nearness: readonly ToolSelector["kind"][] = ["name", "glob", "cli", "category", "effect"];

export function parseSelector(text: string): ToolSelector {
  const [, kind, name] = /^(cli|category|effect):(.*)$/s.exec(text) ?? [];
  if (kind === "effect") return { kind, effect: name! };
  if (kind !== undefined) return { kind: kind as "cli" | "category", name: name!.toLowerCase() };
  if (!/[*?]/.test(text)) return { kind: "name", name: text };
  return { kind: "glob", glob: text, literal: text.replaceAll(/[*?]/g, "").length };
}

export function selects(selector: ToolSelector, tool: Tool, isDenial: boolean): boolean {
  const names = namesOf(tool, isDenial);
  switch (selector.kind) {
    case "name":
      return names.includes(selector.name);
    case "glob":
      if (!isDenial && isFeature(tool) && kindOfName(selector.glob) !== tool.feature.kind) {
        return false;
      }
      return names.some((name) => matchesGlob(selector.glob, name));
    case "cli":
      return tool.owner.name.toLowerCase() === selector.name;
    case "category":
      return tool.owner.category?.toLowerCase() === selector.name;
    case "effect":
      return (isDenial || !isFeature(tool)) && effectOf(tool) === selector.effect;
  }
}

function namesOf({ name, aliases = [], feature }: Tool, isDenial: boolean): readonly string[] {
  const { alsoNamed = [], spellings = [], alsoDenied = [] } = feature ?? {};
  return isDenial
    ? [name, ...aliases, ...alsoNamed, ...spellings, ...alsoDenied]
    : [name, ...alsoNamed];
}

/** Returns the aliases of several tools: a policy cannot use them, since its rule would constrain one tool only. */
export function aliasesOfSeveral(tools: readonly Tool[]): ReadonlySet<string> {
  const all = tools.flatMap(({ aliases }) => [...new Set(aliases)]);
  return new Set(all.filter((name, at) => all.indexOf(name) !== at));
}

type Refused = Pick<Decision & { readonly isServed: false }, "rule" | "path" | "reason">;

export class ToolSelection {
  readonly #policy: PolicyFile;
  readonly #denied: readonly (readonly [text: string, selector: ToolSelector])[];
  readonly #categories: readonly string[] | undefined;
  readonly #names: ReadonlySet<string>;
  readonly #broad: readonly (readonly [key: string, selector: ToolSelector])[];
  readonly #current: ReadonlySet<string>;

  constructor(policy: PolicyFile, tools: readonly Tool[]) {
    this.#current = new Set([...tools.map(({ name }) => name), ...aliasesOfSeveral(tools)]);
    const read = (texts: readonly string[]) => {
      return texts.map((text) => [text, parseSelector(text)] as const);
    };
    const keys = Object.keys(policy.tools ?? {});
    this.#policy = policy;
    this.#denied = read(policy.deny ?? []);
    this.#categories = policy.categories?.map((name) => name.toLowerCase());
    this.#names = new Set(keys);
    this.#broad = read(keys).filter(([, { kind }]) => kind !== "name")
      .toSorted(([, a], [, b]) => distance(a) - distance(b));
  }

  decide(tool: Tool): Decision {
    const denial = this.#denial(tool) ?? this.#exclusion(tool);
    if (denial !== undefined) return { isServed: false, ...denial };
    const [key, other] = this.keysOf(tool);
    if (other !== undefined && isFeature(tool)) {
      // Two keys that fit one resource deny it, and are no error: a server could make the whole policy invalid with it
      const reason = `'${key}' and '${other}' both fit its address`;
      return { isServed: false, rule: `tools.${other}`, path: ["tools", other], reason };
    }
    if (key !== undefined) {
      return { isServed: true, rule: `tools.${key}`, path: ["tools", key], key };
    }
    const path = ["default"];
    if (this.#policy.default === "enabled") {
      return { isServed: true, rule: "default: enabled", path };
    }
    return { isServed: false, rule: "default: disabled", path, reason: "it is not listed" };
  }

  keysOf(tool: Tool): string[] {
    const { aliases = [], feature } = tool;
    const old = aliases.filter((name) => !this.#current.has(name));
    const own = this.#nearest([...namesOf(tool, false), ...old], (selector) => {
      return selects(selector, tool, false);
    });
    const others = [...aliases, ...feature?.spellings ?? []].filter((name) => !old.includes(name));
    const demanding = this.#nearest(others, (selector) => {
      return selector.kind === "glob" && kindOfName(selector.glob) === feature?.kind &&
        others.some((name) => matchesGlob(selector.glob, name));
    });
    const [key] = own;
    const [other] = demanding;
    if (key === undefined) return this.#policy.default === "enabled" ? demanding : [];
    const isOwn = other === undefined || other === key || parseSelector(key).kind === "name" ||
      distance(parseSelector(other)) > distance(parseSelector(key));
    if (isOwn) return own;
    return feature === undefined ? demanding : [key, other];
  }

  #nearest(names: readonly string[], fits: (selector: ToolSelector) => boolean): string[] {
    const name = names.find((each) => this.#names.has(each));
    if (name !== undefined) return [name];
    const found = this.#broad.filter(([, selector]) => fits(selector));
    return found.filter(([, selector]) => distance(selector) === distance(found[0]![1]))
      .map(([key]) => key);
  }

  #denial(tool: Tool): Refused | undefined {
    const at = this.#denied.findIndex(([, selector]) => selects(selector, tool, true));
    if (at === -1) return undefined;
    return { rule: "deny", path: ["deny", at], reason: `'${this.#denied[at]![0]}' denies it` };
  }

  #chooseEffect(tool: Tool): Effect | undefined {
    const [key] = tool.keepsEffect ? this.keysOf(tool) : [];
    return key === undefined ? undefined : this.#policy.tools?.[key]?.effect;
  }

  #exclusion(tool: Tool): Refused | undefined {
    const { effects } = this.#policy;
    if (effects?.includes(this.#chooseEffect(tool) ?? effectOf(tool)) === false) {
      const known = tool.effect === undefined
        ? "its effect is not known, which counts as write"
        : `its effect is ${tool.effect}`;
      const reason = `${known}, and only these are served: ${effects.join(", ")}`;
      return { rule: "effects", path: ["effects"], reason };
    }
    const { category } = tool.owner;
    if (this.#categories?.includes(category?.toLowerCase() ?? "") === false) {
      const known = category === undefined ? "it has no category" : `its category is ${category}`;
      const reason = `${known}, which is not among those served`;
      return { rule: "categories", path: ["categories"], reason };
    }
    return undefined;
  }
}

function distance(selector: ToolSelector): number {
  const more = selector.kind === "glob" ? 1 / selector.literal : 0;
  return 2 * nearness.indexOf(selector.kind) + more;
}

export function mayServe(
  policy: PolicyFile,
  { name, prefix }: Pick<AbsentOwner, "name" | "prefix">,
): boolean {
  const denied = (policy.deny ?? []).map(parseSelector);
  const isDenied = denied.some((selector) => {
    if (selector.kind === "cli") return selector.name === name.toLowerCase();
    return selector.kind === "glob" && matchesGlob(selector.glob, prefix);
  });
  if (isDenied) return false;
  if (policy.default === "enabled") return true;
  return Object.keys(policy.tools ?? {}).some((key) =>
    mayMatch(parseSelector(key), { name, prefix })
  );
}

export function mayMatch(
  selector: ToolSelector,
  { name, prefix }: Pick<AbsentOwner, "name" | "prefix">,
): boolean {
  switch (selector.kind) {
    case "name":
      return selector.name.startsWith(prefix);
    case "glob": {
      const [head = ""] = selector.glob.split(/[*?]/, 1);
      return head.startsWith(prefix) || prefix.startsWith(head);
    }
    case "cli":
      return selector.name === name.toLowerCase();
    default:
      return true;
  }
}

/** Returns whether the whole of `text` matches `glob`, in a time of at most the product of their lengths. */
export function matchesGlob(glob: string, text: string): boolean {
  let at = 0;
  let read = 0;
  let star: { readonly next: number; end: number } | undefined;
  while (read < text.length) {
    if (glob[at] === "*") {
      star = { next: ++at, end: read };
    } else if (glob[at] === "?" || glob[at] === text[read]) {
      at++;
      read++;
    } else if (star !== undefined) {
      at = star.next;
      read = ++star.end;
    } else {
      return false;
    }
  }
  while (glob[at] === "*") at++;
  return at === glob.length;
}
