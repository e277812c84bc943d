/** Expands `$VAR`, `${VAR}`, `${VAR:-default}` and a leading `~`. After one more `$` they are text: `$$VAR`, `$~`. */

import type { Finding, Path } from "./finding.ts";

export type Environment = (name: string) => string | undefined;
const variable =
  /(?<!\$)(\$*)\$(?:\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^{}]*))?\}|([A-Za-z_][A-Za-z0-9_]*))/g;
const tilde = /^\$*~(?=$|[/\\])/;

export function expand(text: string, environment: Environment) {
  const unset: string[] = [];
  const lookUp = (name: string, otherwise?: string): string => {
    const value = environment(name);
    if (otherwise !== undefined) return value || otherwise;
    if (value === undefined) unset.push(name);
    return value ?? "";
  };
  const isEscaped = text.startsWith("$") && tilde.test(text);
  const home = text.startsWith("~") && tilde.test(text) ? lookUp(homeVariable) : "";
  const rest = isEscaped || home !== "" ? text.slice(1) : text;
  return {
    text: home + rest.replace(variable, (whole, dollars: string, braced, otherwise, bare) => {
      const half = "$".repeat(dollars.length / 2);
      const isText = dollars.length % 2 === 1;
      return half + (isText ? whole.slice(dollars.length) : lookUp(braced ?? bare, otherwise));
    }),
    unset,
  };
}

export function escapeReferences(text: string): string {
  const escaped = text.replace(variable, (whole, dollars: string) => `${dollars}$${whole}`);
  return tilde.test(text) ? `$${escaped}` : escaped;
}

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

export const homeVariable = Deno.build.os === "windows" ? "USERPROFILE" : "HOME";
