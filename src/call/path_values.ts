/** Reads paths as models write them: with `~`, as `file://` addresses, and as globs in lists. */

import { globSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { contains, homeFolders, ownFolder, realPathOf } from "../process/folders.ts";
import type { Arg, ArgValue, ArgValues } from "../tool/tool.ts";

/**
 * Returns the paths that arguments mean, or why a value means none. Globs are left to the program if the config demands
 * a pattern of the argument, since the program has a syntax of its own for paths.
 */
export function pathsMeant(
  args: readonly Arg[],
  values: ArgValues,
  directory = ".",
): { readonly meant: [string, ArgValue][]; readonly reasons: string[] } {
  const meant: [string, ArgValue][] = [];
  const reasons: string[] = [];
  const search: Search = { left: maxEntries };
  for (const { name, list, limits, constraint, fixed } of args) {
    const value = values.get(name);
    if (value === undefined || fixed !== undefined) continue;
    const named = [value].flat().map((item) => localPath(String(item)));
    if (list === undefined || limits?.pattern !== undefined) {
      meant.push([name, list === undefined ? named[0]! : named]);
      continue;
    }
    const find = finder(search, directory, constraint?.within);
    const found = [...new Set(named.flatMap(find))];
    if (search.left < 0) {
      reasons.push(
        `Argument '${name}': a glob is compared with ${maxEntries} entries at most: begin it with a directory`,
      );
    } else if (found.length > list.max) {
      reasons.push(`Argument '${name}': the paths fit over ${list.max} files: name fewer`);
    } else meant.push([name, found]);
  }
  return { meant, reasons };
}

function localPath(path: string): string {
  try {
    if (/^file:\/\/(?:localhost)?\//i.test(path)) {
      return fileURLToPath(path.replace(/^file:\/\/localhost/i, "file://"));
    }
  } catch {
    return path;
  }
  const home = /^~(?=$|[/\\])/.test(path) ? homeFolders()?.home : undefined;
  return home === undefined ? path : home + path.slice(1);
}

/** A call compares its globs with at most this many directory entries, since other calls cannot run meanwhile. */
const maxEntries = 10_000;

interface Search {
  left: number;
}

/**
 * Returns a function that finds the files that a glob matches. It leaves out files outside of the served folder or
 * `within`.
 */
function finder(search: Search, directory: string, within: string | undefined) {
  const [own, root] = [ownFolder(), resolve(ownFolder(), directory)].map(realPathOf);
  const isHere = (path: string) => {
    // Resolving the links of a path counts as five comparisons, since it takes as long
    if ((search.left -= 5) < 0) return false;
    const real = realPathOf(isAbsolute(path) ? path : join(root!, path));
    return real !== undefined && contains(own!, real) && contains(within ?? own!, real);
  };
  const exclude = (path: string) => {
    if (search.left-- < 0) throw new RangeError("Too many entries");
    return /(?:^|[\\/])node_modules$/.test(path);
  };
  return (text: string): string[] => {
    const isGlob = /[*?{]/.test(text) && !/\.\.|(?:\{.*){5}|.{1000}/s.test(text);
    if (!isGlob || !own || !root || !contains(own, root) || isHere(text)) return [text];
    const isAway = isAbsolute(text) && ![root, ownFolder()].some((each) => text.startsWith(each));
    if (isAway || search.left < 0) return [text];
    try {
      const found = globSync(text, { cwd: root, exclude }).filter(isHere).sort();
      return found.length > 0 ? found : [text];
    } catch {
      return [text];
    }
  };
}
