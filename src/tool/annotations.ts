/** Derives from the effect of a tool its annotations for clients, and which arguments it accepts. */

import { isComposed } from "./type_words.ts";
import {
  type Annotations,
  type Arg,
  type ArgValues,
  commandKind,
  type Effect,
  isBuiltin,
  type Tool,
} from "./tool.ts";

/** Returns the annotations of `tool`: those of its effect, overridden by its own. */
export function annotationsOf({ effect, annotations }: Tool): Annotations {
  return { ...(effect === undefined ? {} : byEffect[effect]), ...annotations };
}

/** A tool without a known effect gets no hints: clients expect the worst (MCP 2026-07-28, tool annotations). */
const byEffect: Readonly<Record<Effect, Annotations>> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  write: { readOnlyHint: false, destructiveHint: false },
  destructive: { readOnlyHint: false, destructiveHint: true },
};

/** Returns the effect of a tool; an unknown one counts as `write`. */
export function effectOf({ effect = "write" }: Pick<Tool, "effect">): Effect {
  return effect;
}

/** Returns whether `tool` declares that it changes something: its config by the effect, its server by annotations. */
export function declaresChange({ effect, annotations }: Tool): boolean {
  return effect === undefined ? annotations?.readOnlyHint === false : effect !== "read";
}

/** Returns whether a call of `tool` is known to change files, other than by the project's own code. */
export function changesFiles(tool: Tool): boolean {
  return declaresChange(tool) && tool.requires === undefined;
}

/**
 * Returns which of the keys that no argument has make a call fail; `similar` are those that resemble an argument. A
 * config or a policy may decide it. Otherwise, a tool that changes something refuses all such keys, unless its schema
 * allows others: a push without its `dry_run` is a push. So does a tool of climax itself, where a key may narrow the
 * answer. A tool of a program without an effect ignores them, as the contract says.
 */
export function unknownRefused(tool: Tool): "unknown" | "similar" | "none" {
  const { refusesUnknown, effect, source } = tool;
  if (refusesUnknown !== undefined) return refusesUnknown ? "unknown" : "similar";
  if (declaresOthers(tool)) return "similar";
  if (effect === undefined) return source.kind === commandKind ? "none" : "unknown";
  return effect === "read" && !isBuiltin(tool) ? "similar" : "unknown";
}

/** Returns whether the schema of `tool` allows further arguments. */
export function declaresOthers({ input = { type: "object" }, isOpen = false }: Tool): boolean {
  const { properties, additionalProperties } = input;
  return isOpen &&
    (properties === undefined || additionalProperties !== undefined || isComposed(input));
}

const byWeight: readonly Effect[] = ["read", "write", "destructive"];

/** Returns whether `effect` changes more than `most` does. */
export function exceeds(effect: Effect, most: Effect): boolean {
  return byWeight.indexOf(effect) > byWeight.indexOf(most);
}

/** Returns the arguments that a call gives; one with the value `false` counts as absent. */
export function givenArgs({ args }: Tool, values: ArgValues): readonly Arg[] {
  return args.filter(({ name }) => (values.get(name) ?? false) !== false);
}

/**
 * Returns the effect of a call of `tool` with `values`; an unknown one counts as `destructive`. An argument may make it
 * milder, if no other one makes it worse.
 */
export function effectOfCall(tool: Tool, values: ArgValues): Effect {
  const { effect = "destructive", plainEffect = effect, policyEffect } = tool;
  const given = givenArgs(tool, values).flatMap((arg) => arg.effect ?? []);
  const milder = given.find((each) => exceeds(plainEffect, each)) ?? plainEffect;
  return [policyEffect, ...given].reduce<Effect>((worst, each) => {
    return each !== undefined && exceeds(each, worst) ? each : worst;
  }, milder);
}

export function worstEffect(tools: readonly Tool[]): Effect {
  const effects = new Set(tools.map(effectOf));
  return byWeight.findLast((effect) => effects.has(effect)) ?? "read";
}

/** Returns the annotations of a tool that may call any of `tools`. */
export function annotationsOfAny(tools: readonly Tool[]): Annotations {
  const all = tools.map(annotationsOf);
  const every = (holds: (annotations: Annotations) => boolean) => all.every(holds);
  return {
    readOnlyHint: every(({ readOnlyHint = false }) => readOnlyHint),
    destructiveHint: !every(({ destructiveHint = true }) => !destructiveHint),
    idempotentHint: every(({ idempotentHint = false }) => idempotentHint),
    openWorldHint: !every(({ openWorldHint = true }) => !openWorldHint),
  };
}
