/**
 * Derives a tool's annotations from its effect, the effect of a call from its arguments, and which unknown keys of a
 * call are refused.
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

/** The annotations of each effect. Tools of unknown effect have none, so clients expect the worst (MCP 2026-07-28). */
const byEffect: Readonly<Record<Effect, Annotations>> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  write: { readOnlyHint: false, destructiveHint: false },
  destructive: { readOnlyHint: false, destructiveHint: true },
};

/** Returns the effect of a tool; `write` if it is unknown. */
export function effectOf({ effect = "write" }: Pick<Tool, "effect">): Effect {
  return effect;
}

export function declaresChange({ effect, annotations }: Tool): boolean {
  return effect === undefined ? annotations?.readOnlyHint === false : effect !== "read";
}

export function changesFiles(tool: Tool): boolean {
  return declaresChange(tool) && tool.requires === undefined;
}

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

/** Returns the arguments that a call gives a value to. A boolean that is `false` is not given. */
export function givenArgs({ args }: Tool, values: ArgValues): readonly Arg[] {
  return args.filter(({ name }) => (values.get(name) ?? false) !== false);
}

/**
 * Returns the effect of a call; `destructive` if it is unknown. An argument may make the call milder than its tool, if
 * no other argument makes it worse.
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
