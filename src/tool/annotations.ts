/**
 * Derives annotations for clients from the effect of a tool, the effect of a call from its arguments, and which unknown
 * keys a tool refuses.
 */

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

/** Annotations by effect. Without a known effect there are none: clients then expect the worst (MCP 2026-07-28). */
const byEffect: Readonly<Record<Effect, Annotations>> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  write: { readOnlyHint: false, destructiveHint: false },
  destructive: { readOnlyHint: false, destructiveHint: true },
};

/** Returns the effect of a tool; an unknown one counts as `write`. */
export function effectOf({ effect = "write" }: Pick<Tool, "effect">): Effect {
  return effect;
}

/** Returns whether a tool declares that it changes something: a config by the effect, a server by annotations. */
export function declaresChange({ effect, annotations }: Tool): boolean {
  return effect === undefined ? annotations?.readOnlyHint === false : effect !== "read";
}

/** Returns whether a tool declares a change and does not run the project's own code, whose effect is not known. */
export function changesFiles(tool: Tool): boolean {
  return declaresChange(tool) && tool.requires === undefined;
}

/**
 * Returns which keys that no argument has make a call fail; `similar`: those like an argument. Config or policy may
 * decide. Else a tool that changes something refuses all, unless its schema allows more: a push without its `dry_run`
 * is a push. So do built-in tools; a program's tool without an effect refuses none.
 */
export function unknownRefused(tool: Tool): "unknown" | "similar" | "none" {
  const { refusesUnknown, effect, source } = tool;
  if (refusesUnknown !== undefined) return refusesUnknown ? "unknown" : "similar";
  if (declaresOthers(tool)) return "similar";
  if (effect === undefined) return source.kind === commandKind ? "none" : "unknown";
  return effect === "read" && !isBuiltin(tool) ? "similar" : "unknown";
}

/** Returns whether the schema of `tool` declares that it takes further arguments. */
export function declaresOthers({ input = { type: "object" }, isOpen = false }: Tool): boolean {
  const { properties, additionalProperties } = input;
  return isOpen &&
    (properties === undefined || additionalProperties !== undefined || isComposed(input));
}

const byWeight: readonly Effect[] = ["read", "write", "destructive"];

export function exceeds(effect: Effect, most: Effect): boolean {
  return byWeight.indexOf(effect) > byWeight.indexOf(most);
}

/** Returns the arguments that a call gives; `false` counts as not given. */
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
