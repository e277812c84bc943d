/** Records the folders in which tools may write, and tells whether a path leads into one of them. */

import { dirname, join, normalize, parse, resolve, sep } from "node:path";
import { contains, isNear, ownFolder, realPathOf, statOf } from "../process/folders.ts";
import { systemPath } from "../io.ts";
import { log } from "../log.ts";
import { linkAt } from "./_found_paths.ts";

const named = new Set<string>();

export function resetWritableFolders(): void {
  named.clear();
  notified.clear();
  addWritableFolders([]);
}

export function addWritableFolders(folders: readonly string[]): void {
  const own = ownFolder();
  for (const path of new Set(["", ...folders].map((folder) => resolve(own, systemPath(folder))))) {
    if (named.has(path)) continue;
    for (const form of [path, realPathOf(path) ?? path]) named.add(form);
  }
}

export function writableFolders(): readonly string[] {
  const own = ownFolder();
  return named.has(own) ? [...named] : [...new Set([own, realPathOf(own) ?? own, ...named])];
}

/** Returns whether a tool may change the file at `path`, a link to it, or a repository around the served folder. */
export function isWritable(path: string): boolean {
  const folders = writableFolders();
  const forms = formsOf(resolve(ownFolder(), systemPath(path)));
  return isNear(path) || forms.some((form) => folders.some((folder) => contains(folder, form)));
}

const notified = new Set<string>();

/** Warns which of `paths` are files that a tool may change, and that are read only at the start. Warns once of each. */
export function warnReadOnce(paths: readonly string[]): void {
  for (const path of paths) {
    if (notified.has(path) || !statOf(path)?.isFile || !isWritable(path)) continue;
    notified.add(path);
    const why = "lies where tools may write, so it is read at the start only";
    log("warning", `'${path}' ${why}: after a change, restart climax`);
  }
}

export function warnChanged(path: string): void {
  log("warning", `'${path}' changed: climax read it at its start; restart climax to use it`);
}

/** A path may lead through this many links, as in `path_resolution(7)` of Linux. */
const maxLinks = 40;

export function formsOf(path: string): string[] {
  const forms = [normalize(path)];
  const real = realPathOf(path);
  for (let next = forms[0]; next !== real && forms.length < maxLinks;) {
    next = followLinks(next!);
    if (next === undefined) break;
    forms.push(next);
  }
  return [...forms, real ?? path].map((form) => join(form, ".").replace(/(?<=.)[\\/]$/, ""));
}

function followLinks(path: string): string | undefined {
  const { root } = parse(path);
  const names = path.slice(root.length).split(sep);
  for (let count = 1; count <= names.length; count++) {
    const front = join(root, ...names.slice(0, count));
    const target = linkAt(front);
    if (target !== undefined) return resolve(dirname(front), target, ...names.slice(count));
  }
  return undefined;
}
