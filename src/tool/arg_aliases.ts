/** Renames what an agent guessed to the argument that the config says it means. Coercion and policy see that alone. */

import { quote } from "../text/excerpt.ts";
import { ownProperty } from "../text/own_property.ts";
import type { Arg } from "./tool.ts";

/** The arguments by their names, and every contradiction among what was given. */
interface NamedArguments {
  readonly given: Readonly<Record<string, unknown>>;
  readonly reasons: readonly string[];
}

/** A name that an argument has is never an alias; one that is given beside it must have the same value. */
export function renameAliases(
  args: readonly Arg[],
  given: Readonly<Record<string, unknown>>,
): NamedArguments {
  if (!args.some(({ aliases }) => aliases !== undefined)) return { given, reasons: [] };
  const names = new Set(args.map(({ name }) => name));
  const named = new Map(Object.entries(given));
  const reasons: string[] = [];
  for (const { name, aliases = [] } of args) {
    for (const alias of aliases) {
      const parts = namesIn(alias);
      const values = parts.map((part) => names.has(part) ? undefined : ownProperty(given, part));
      if (values.some((value) => value === undefined || value === null)) continue;
      const value = parts[0] === alias ? values[0] : joinValues(alias, parts, values);
      if (value === undefined) continue;
      for (const part of parts) named.delete(part);
      const before = named.get(name);
      if (before === undefined || before === null) named.set(name, value);
      else if (JSON.stringify(before) !== JSON.stringify(value)) {
        const words = parts.map((part) => quote(part)).join(" and ");
        reasons.push(
          `${words} ${parts.length === 1 ? "is" : "are"} '${name}', which has another value`,
        );
      }
    }
  }
  return { given: Object.fromEntries(named), reasons };
}

/** The names in an alias: those in its braces, or else itself. */
export function namesIn(alias: string): string[] {
  const inBraces = Array.from(alias.matchAll(/\{([^{}]+)\}/g), ([, name]) => name!);
  return inBraces.length === 0 ? [alias] : inBraces;
}

/** The one text of several values; nothing if one of them is more than a text or a number. */
function joinValues(alias: string, parts: readonly string[], values: readonly unknown[]) {
  if (!values.every((value) => typeof value === "string" || typeof value === "number")) {
    return undefined;
  }
  return alias.replaceAll(
    /\{([^{}]+)\}/g,
    (_, name: string) => String(values[parts.indexOf(name)]),
  );
}
