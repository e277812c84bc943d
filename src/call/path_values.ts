/** Reads the paths of a call as models write them: `~`, `file://`, globs, and several paths in one text. */

import { globSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { contains, homeFolders, ownFolder, realPathOf } from "../process/folders.ts";
import { quote } from "../text/excerpt.ts";
import { type ArgValue, type ArgValues, maxItems, type Tool } from "../tool/tool.ts";

/**
 * Returns the values of the path arguments `args` as real paths, or the reasons why a value names none. A program whose
 * argument has a pattern has its own syntax for paths.
 */
export function pathsMeant(
  { args, effect }: Pick<Tool, "args" | "effect">,
  values: ArgValues,
  directory = ".",
): { readonly meant: [string, ArgValue][]; readonly reasons: string[] } {
  const meant: [string, ArgValue][] = [];
  const reasons: string[] = [];
  const search: Search = { left: maxEntries };
  for (const arg of args) {
    const { name, role, list, limits, constraint } = arg;
    const value = values.get(name);
    if (value === undefined || arg.fixed !== undefined) continue;
    const named = [value].flat().map((item) => localPath(String(item)));
    const fits = role.kind === "cwd" || limits?.pattern !== undefined
      ? (item: string) => [item]
      : fitting(search, directory, constraint?.within, list !== undefined);
    const found = [...new Set(named.flatMap(fits))];
    const isOne = found.length === 1 && found[0] === named[0];
    if (search.left < 0) {
      reasons.push(
        `Argument '${name}': a glob is compared with ${maxEntries} entries at most: begin it with a directory`,
      );
    } else if (list !== undefined && found.length > list.max) {
      reasons.push(`Argument '${name}': the paths fit over ${list.max} files: name fewer`);
    } else if (list !== undefined || isOne) {
      meant.push([name, list === undefined ? found[0]! : found]);
    } else if (effect === "read") {
      const some = found.slice(0, 5).map((each) => quote(each)).join(", ");
      reasons.push(
        `Argument '${name}': ${quote(named[0]!)} is no file, and fits ${some}: name one`,
      );
    }
  }
  return { meant, reasons };
}

function localPath(path: string): string {
  try {
    if (/^file:\/\/(?:localhost)?\//i.test(path)) {
      return fileURLToPath(path.replace(/^file:\/\/localhost/i, "file://"));
    }
  } catch {
  }
  const home = /^~(?=$|[/\\])/.test(path) ? homeFolders()?.home : undefined;
  return home === undefined ? path : home + path.slice(1);
}

/** The search for globs blocks all calls, so a call compares them with so many directory entries. */
const maxEntries = 10_000;

interface Search {
  left: number;
}

/**
 * Returns a function that finds the paths that a text means: the text itself if it exists or nothing else does, else
 * the files that it matches as a glob or lists. Files outside of the served folder and of `within` count as absent.
 */
function fitting(search: Search, directory: string, within: string | undefined, isList: boolean) {
  const [own, root] = [ownFolder(), resolve(ownFolder(), directory)].map(realPathOf);
  const isHere = (path: string) => {
    // Resolving links takes as long as comparing five entries
    if ((search.left -= 5) < 0) return false;
    const real = realPathOf(isAbsolute(path) ? path : join(root!, path));
    return real !== undefined && contains(own!, real) && contains(within ?? own!, real);
  };
  const find = (text: string): string[] => {
    if (isHere(text)) return [text];
    const isGlob = /[*?{]/.test(text) && !/\.\.|(?:\{.*){5}|.{1000}/s.test(text);
    const isAway = isAbsolute(text) && ![root!, ownFolder()].some((each) => text.startsWith(each));
    if (!isGlob || isAway || search.left < 0) return [];
    const exclude = (path: string) => {
      if (search.left-- < 0) throw new RangeError("Too many entries");
      return /(?:^|[\\/])node_modules$/.test(path);
    };
    try {
      return globSync(text, { cwd: root!, exclude }).filter(isHere).sort();
    } catch {
      return [];
    }
  };
  return (text: string): string[] => {
    if (!own || !root || !contains(own, root) || !/[*?{,\s]/.test(text)) return [text];
    const found = find(text);
    if (found.length > 0 || !isList) return found.length > 0 ? found : [text];
    // Splitting at /\s*,\s*/ would take quadratic time for many blanks
    const lists = [/[,\n]/, /\s+/].map((separator) => {
      return text.split(separator, maxItems).map((part) => part.trim())
        .filter((part) => part !== "").map(find);
    });
    const list = lists.find((each) => each.length > 1 && each.every(({ length }) => length > 0));
    return list?.flat() ?? [text];
  };
}
