/** Compiles regular expressions of policies with RE2, so that no pattern and no value can block the server. */

import { RE2JS, RE2JSException } from "re2js";
import type { Pattern } from "../tool/tool.ts";

export function compilePattern(source: string): Pattern | { readonly reason: string } {
  try {
    const expression = RE2JS.compile(source);
    return { source, matches: (text) => expression.matches(text) };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return { reason: error.message.replace(/^error parsing regexp: /, "") };
  }
}

export function patternProblem(source: string): { message: string; hint: string } | undefined {
  const compiled = compilePattern(source);
  if ("matches" in compiled) return undefined;
  return {
    message: `'pattern': '${source}' is not an RE2 expression: ${compiled.reason}`,
    hint: "Patterns are RE2 expressions, without lookaround and backreferences: " +
      "https://github.com/google/re2/wiki/Syntax",
  };
}
