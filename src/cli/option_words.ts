/** Reads `--name value` on the command line of a call as the pair `name=value`, which it may be written as too. */

import { UsageError } from "../errors.ts";
import { nearNames } from "../text/similar_names.ts";
import { inputSchema } from "../tool/json_schema.ts";
import type { Tool } from "../tool/tool.ts";

/**
 * Returns `words` with pairs in place of `--name value` and `--name=value`. A name is that of an argument of
 * `tool`, with `-` or `_`; an argument that is true or false needs no value.
 *
 * @param own the options of the command
 * @throws {UsageError} when a value is missing, or an option of the command is mistyped or after `--`
 */
export function optionsToPairs(
  words: readonly string[],
  tool: Tool | undefined,
  own: readonly string[],
): string[] {
  const properties = tool === undefined ? {} : inputSchema(tool).properties ?? {};
  const pairs: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const [, option, equals, value] = /^--([^=]+)(=?)([^]*)$/.exec(words[at]!) ?? [];
    if (option === undefined) {
      pairs.push(words[at]!);
      continue;
    }
    const name = nameOf(option, Object.keys(properties), own);
    const next = words[at + 1];
    if (equals) pairs.push(`${name}=${value}`);
    else if (isBoolean(properties[name])) {
      const isGiven = next === "true" || next === "false";
      pairs.push(`${name}=${isGiven ? next : true}`);
      at += isGiven ? 1 : 0;
    } else {
      if (next === undefined || /^--[^=]/.test(next)) {
        throw new UsageError(`--${option} needs a value`, `--${option} VALUE, or ${name}=VALUE`);
      }
      pairs.push(`${name}=${next}`);
      at++;
    }
  }
  return pairs;
}

/** The argument that `--option` means; a name that none has is refused by the call. */
function nameOf(option: string, names: readonly string[], own: readonly string[]): string {
  if (own.includes(`--${option}`)) {
    throw new UsageError(`Expected name=value, found '--${option}'`, "Options come before --");
  }
  const found = [option, option.replaceAll("-", "_")].find((name) => names.includes(name));
  if (found !== undefined) return found;
  const near = nearNames(`--${option}`, own);
  if (near.length > 0 && nearNames(option, names).length === 0) {
    throw new UsageError(`Unknown option '--${option}'`, `Did you mean: ${near.join(", ")}`);
  }
  return option;
}

function isBoolean(schema: unknown): boolean {
  return (schema as { readonly type?: unknown } | undefined)?.type === "boolean";
}
