/** Expands `$VAR`, `${VAR}` and a leading `~` in the parts of a config that may name a place on the machine. */

import type { Finding, Path } from "./finding.ts";

export type Environment = (name: string) => string | undefined;
const variable = /\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g;

/** Expands `text`, but not the values. A variable that is not set becomes an empty text, and is in `unset`. */
export function expand(text: string, environment: Environment) {
  const unset: string[] = [];
  const lookUp = (name: string): string => {
    const value = environment(name);
    if (value === undefined) unset.push(name);
    return value ?? "";
  };
  const home = /^~(?=$|[/\\])/.test(text) ? lookUp(homeVariable) : "";
  const rest = home === "" ? text : text.slice(1);
  return {
    text: home + rest.replace(variable, (_, braced, bare) => lookUp(braced ?? bare)),
    unset,
  };
}

/** Expands `text`; variables that are not set, or empty, become `problems` at `path`. */
export function expandFor(
  text: string,
  path: Path,
  environment: Environment,
  problems: Finding[],
): string {
  const { text: expanded, unset } = expand(text, (name) => environment(name) || undefined);
  for (const name of unset) {
    problems.push({ path, message: `'${text}': variable $${name} is not set, or empty` });
  }
  return expanded;
}

/** The variable that `~` stands for. */
export const homeVariable = Deno.build.os === "windows" ? "USERPROFILE" : "HOME";
