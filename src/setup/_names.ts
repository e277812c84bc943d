/** Makes names of tools and arguments from the words of a command line. */

import { mainName, type OptionHelp } from "../help/command_help.ts";

/** Longest name of a tool: some clients take no more. */
const maxName = 64;

/** `gh issue list` → `gh_issue_list`. */
export function toolName(words: readonly string[]): string {
  const program = words[0]!.split(/[\\/]/).at(-1)!.replace(/\.(?:exe|cmd|bat|py|js|sh)$/i, "");
  return snake([program, ...words.slice(1)].join("_")).slice(0, maxName) || "tool";
}

/** `--max-count` → `max_count`; an option of one letter has the name of its value, or its letter. */
export function optionName(option: OptionHelp): string {
  const name = mainName(option).replace(/^-+/, "");
  if (name.length > 1) return snake(name) || "option";
  const placeholder = snake((option.value?.placeholder ?? "").split("=")[0]!);
  if (
    placeholder.length > 2 &&
    !/^(?:string|value|text|arg|name|file|path|int|num|number)$/.test(placeholder)
  ) {
    return placeholder;
  }
  if (/[A-Z]/.test(name)) return `upper_${name.toLowerCase()}`;
  return /[a-z]/.test(name) ? name : `flag_${snake(name) || name.codePointAt(0)}`;
}

/** The name of a positional argument. */
export function positionalName(name: string): string {
  return snake(name) || "value";
}

/** Adds a number to `name` when it is `taken`, and adds the result to `taken`. */
export function unused(name: string, taken: Set<string>, suffix = ""): string {
  let free = name;
  if (taken.has(free) && suffix !== "") free = `${name}_${suffix}`;
  for (let number = 2; taken.has(free); number++) free = `${name}_${number}`;
  taken.add(free);
  return free;
}

/** Converts to lower case, with underscores between words. */
function snake(text: string): string {
  return text
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .toLowerCase();
}
