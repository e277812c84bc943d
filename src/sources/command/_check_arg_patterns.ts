/** Checks the patterns of arguments. The engine is imported only if there are patterns. */

import type { Finding, Path } from "../../files/finding.ts";
import type { ArgFile } from "./schema.ts";

/** The patterns of `args`, which are at `path`, that RE2 does not accept. */
export async function checkArgPatterns(
  args: readonly Pick<ArgFile, "pattern" | "items">[],
  path: Path,
): Promise<Finding[]> {
  const patterns = args.flatMap(({ pattern, items }, arg) => [
    ...(pattern ? [{ pattern, path: [...path, arg, "pattern"] }] : []),
    ...(items?.pattern
      ? [{ pattern: items.pattern, path: [...path, arg, "items", "pattern"] }]
      : []),
  ]);
  if (patterns.length === 0) return [];
  const { patternProblem } = await import("../../policy/pattern.ts");
  return patterns.flatMap(({ pattern, path }) => {
    const problem = patternProblem(pattern);
    return problem === undefined ? [] : [{ path, ...problem }];
  });
}
