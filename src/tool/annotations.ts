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

export function annotationsOf({ effect, annotations }: Tool): Annotations {
  return { ...(effect === undefined ? {} : byEffect[effect]), ...annotations };
}

/** Annotations by effect. Without a known effect there are none: clients then expect the worst (MCP 2026-07-28). */
const byEffect: Readonly<Record<Effect, Annotations>> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  write: { readOnlyHint: false, destructiveHint: false },
  destructive: { readOnlyHint: false, destructiveHint: true },
};

/** An unknown effect counts as `write`. */
export function effectOf({ effect = "write" }: Pick<Tool, "effect">): Effect {
  return effect;
}

export function declaresChange({ effect, annotations }: Tool): boolean {
  return effect === undefined ? annotations?.readOnlyHint === false : effect !== "read";
}

/** Returns whether a tool declares a change and does not run the project's own code, whose effect is not known. */
export function changesFiles(tool: Tool): boolean {
  return declaresChange(tool) && tool.requires === undefined;
}

/**
 * Returns which unknown keys make a call fail; `similar`: those like an argument. Without a rule of config or policy, a
 * tool that changes something refuses all keys that its schema does not allow: a push without its `dry_run` is a push.
 */
export function unknownRefused(tool: Tool): "unknown" | "similar" | "none" {
  const { refusesUnknown, effect, source } = tool;
  if (refusesUnknown !== undefined) return refusesUnknown ? "unknown" : "similar";
  if (declaresOthers(tool)) return "similar";
  if (effect === undefined) return source.kind === commandKind ? "none" : "unknown";
  return effect === "read" && !isBuiltin(tool) ? "similar" : "unknown";
}

export function declaresOthers({ input = { type: "object" }, isOpen = false }: Tool): boolean {
  const { properties, additionalProperties } = input;
  return isOpen &&
    (properties === undefined || additionalProperties !== undefined || isComposed(input));
}

const byWeight: readonly Effect[] = ["read", "write", "destructive"];

export function exceeds(effect: Effect, most: Effect): boolean {
  return byWeight.indexOf(effect) > byWeight.indexOf(most);
}

/** Returns the arguments that a call gives; a switch that is `false` is not given. */
export function givenArgs({ args }: Tool, values: ArgValues): readonly Arg[] {
  return args.filter(({ name }) => (values.get(name) ?? false) !== false);
}

/**
 * Returns the effect of a call; an unknown one counts as `destructive`. An argument may make a call milder, if no other
 * argument makes it worse.
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
