/** Takes folders in which an agent may write out of PATH, for look-ups and children. docs/security.md has the rule. */

import {
  basename,
  delimiter,
  dirname,
  isAbsolute,
  join,
  normalize,
  parse,
  relative,
  resolve,
  sep,
} from "node:path";
import { contains } from "../files/contains.ts";
import { io, optionalVariable, systemPath } from "../io.ts";
import { log } from "../log.ts";
import { homeFolders, ownFolder, realPathOf } from "../process/folders.ts";
import { linkAt } from "./_found_paths.ts";

/** Folders of a project with programs. The bundled tools that write files refuse these names. */
export const projectPlaces: readonly string[] = [
  ...["node_modules", ".venv", "venv", ".direnv", ".devenv", ".pixi", ".tox", ".nox"],
];

/** Folders in the home folder with programs of the person. The bundled tools that write files refuse these names. */
export const personalPlaces: readonly string[] = [
  ...[".local", ".cargo", ".rustup", ".deno", ".bun", ".nvm", ".fnm", ".volta", ".npm-global"],
  ...[".asdf", ".pyenv", ".rbenv", ".nodenv", ".goenv", ".jenv", ".sdkman", ".krew"],
  ...[".nix-profile", ".proto", ".rye", ".pulumi", ".npm"],
];

/** Names that `{programs}` in `never` of a config forbids in a path, beside the files of servers. */
export const programPlaces: readonly string[] = [...projectPlaces, ...personalPlaces];

/** No folder. Without node:os, which takes long to load. */
const devNull = Deno.build.os === "windows" ? "\\\\.\\nul" : "/dev/null";

/** PATH as this process got it, and what it was set to. */
let changed: { readonly from: string; readonly to: string } | undefined;

/** Folders below which an agent may write, in addition to the working directory. */
const writable = new Set<string>();

const warned = new Set<string>();

/** Results by directory and folder, until `writable` changes. */
const known = new Map<string, boolean>();

/** Begins a run: from now on nothing in it is searched or started by the folders of PATH that are left out. */
export function guardSearchPath(): void {
  writable.clear();
  warned.clear();
  leaveOut([]);
}

/** Also leaves out what lies in `folders`, and in the working directory of this work. */
export function leaveOut(folders: readonly string[]): void {
  const own = ownFolder();
  for (const path of new Set(["", ...folders].map((folder) => resolve(own, folder)))) {
    for (const form of [path, realPathOf(path) ?? path]) writable.add(form);
  }
  known.clear();
  const from = givenPath();
  if (from === undefined) return;
  const to = safePath(from);
  if (to === optionalVariable("PATH")) return;
  try {
    io().env.set("PATH", to);
    changed = { from, to };
  } catch (error) {
    // Deno itself then starts only what `--allow-run` names, and look-ups are held all the same
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
  }
}

function givenPath(): string | undefined {
  const path = optionalVariable("PATH");
  return path === changed?.to ? changed?.from : path;
}

/** The value of PATH for a program that is given `path`. An empty PATH would mean the working directory. */
export function safePath(path: string): string {
  return path.split(delimiter).filter((folder) => !isLeftOut(unquote(folder))).join(delimiter) ||
    devNull;
}

/** The folders in which a name is searched, absolute; warns once of each that is there and left out. */
export function searchFolders(path = givenPath() ?? ""): string[] {
  const folders = path.split(delimiter).map(unquote);
  const left = folders.filter((folder) => isLeftOut(folder) && isThere(folder));
  const unknown = left.filter((folder) => !warned.has(folder));
  if (unknown.length > 0) {
    for (const folder of unknown) warned.add(folder);
    const names = unknown.map((folder) => `'${folder}'`).join(", ");
    log(
      "warning",
      `PATH: left out ${names}, where an agent may write. Programs there are not found, by other programs either: ` +
        "install what you need elsewhere, name it by its path, or serve another folder",
    );
  }
  return folders.filter((folder) => !isLeftOut(folder));
}

/** Windows takes a name with `;` in quotes. */
function unquote(folder: string): string {
  return Deno.build.os === "windows" ? folder.replace(/^"(.*)"$/, "$1") : folder;
}

function isThere(folder: string): boolean {
  try {
    return folder !== "" && Deno.statSync(systemPath(folder)).isDirectory;
  } catch (error) {
    return error instanceof Deno.errors.NotCapable;
  }
}

function isLeftOut(folder: string): boolean {
  if (!isAbsolute(folder)) return true;
  const own = ownFolder();
  const key = `${own}\0${folder}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const roots = writable.has(own) ? writable : new Set([own, realPathOf(own) ?? own, ...writable]);
  const forms = formsOf(folder);
  const result = roots.values().some((root) => forms.some((form) => isReached(root, form)));
  known.set(key, result);
  return result;
}

/** Most links in one path: `path_resolution(7)` of Linux. */
const maxLinks = 40;

/** `folder`, what each of its links leads to, and where the system finds it. */
function formsOf(folder: string): string[] {
  const forms = [normalize(folder)];
  const real = realPathOf(folder);
  // A path that is its own real path has no links
  for (let next = forms[0]; next !== real && forms.length < maxLinks;) {
    next = followLinks(next!);
    if (next === undefined) break;
    forms.push(next);
  }
  return [...forms, real ?? folder].map((form) => join(form, ".").replace(/(?<=.)[\\/]$/, ""));
}

/** `path` with its first link replaced by what it leads to. */
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

/** Returns whether an agent that may write in `root` decides what is in `folder`. */
function isReached(root: string, folder: string): boolean {
  const [top, name] = parting(root, folder);
  if (name === "node_modules") return true;
  const isPlace = name.startsWith(".") && projectPlaces.includes(name);
  if (!isPlace && !contains(root, folder)) return false;
  const { home } = homeFolders() ?? {};
  const homes = home ? [home, realPathOf(home) ?? home] : [];
  if (isPlace && !homes.some((home) => top !== root && contains(top, home))) return true;
  if (!contains(root, folder)) return false;
  // Served is no project, but the home folder or one that holds it
  const held = homes.filter((home) => home !== parse(home).root && contains(root, home));
  if (held.length === 0) return root !== parse(root).root;
  const own = held.find((home) => contains(home, folder));
  return own !== undefined && !personalPlaces.includes(relative(own, folder).split(sep)[0]!);
}

/** The last folder that `root` and `folder` have in common, and the next name of `folder`. */
function parting(root: string, folder: string): [top: string, name: string] {
  let top = folder;
  let name = "";
  while (!contains(top, root) && dirname(top) !== top) {
    name = basename(top).toLowerCase();
    top = dirname(top);
  }
  return [top, name];
}
