/** The regular expressions of a policy: RE2, so that no pattern and no value can hang the server. */

import { RE2JS, RE2JSException } from "re2js";
import type { Pattern } from "../tool/tool.ts";

/** Compiles `source`, or says what RE2 does not know about it. */
export function compilePattern(source: string): Pattern | { readonly reason: string } {
  try {
    const expression = RE2JS.compile(source);
    return { source, matches: (text) => expression.matches(text) };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return { reason: error.message.replace(/^error parsing regexp: /, "") };
  }
}
