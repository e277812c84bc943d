/** Checks the patterns of arguments. The engine is imported only if there are patterns. */

import type { Finding, Path } from "../../files/finding.ts";
import type { ArgFile } from "./schema.ts";

/** The patterns of `args`, which are at `path`, that RE2 does not accept. */
export async function checkArgPatterns(
  args: readonly Pick<ArgFile, "pattern" | "pattern_words" | "items">[],
  path: Path,
): Promise<Finding[]> {
  const wordless = args.flatMap(({ pattern, pattern_words, items }, arg) => {
    if (!pattern_words || pattern || items?.pattern) return [];
    const message = "'pattern_words' says what a 'pattern' allows, and there is none";
    return [{ path: [...path, arg, "pattern_words"], message }];
  });
  const patterns = args.flatMap(({ pattern, items }, arg) => [
    ...(pattern ? [{ pattern, path: [...path, arg, "pattern"] }] : []),
    ...(items?.pattern
      ? [{ pattern: items.pattern, path: [...path, arg, "items", "pattern"] }]
      : []),
  ]);
  if (patterns.length === 0) return wordless;
  const { patternProblem } = await import("../../policy/pattern.ts");
  return wordless.concat(patterns.flatMap(({ pattern, path }) => {
    const problem = patternProblem(pattern);
    return problem === undefined ? [] : [{ path, ...problem }];
  }));
}
