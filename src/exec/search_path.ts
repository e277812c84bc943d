/** Takes folders in which an agent may write out of PATH and similar variables. docs/security.md has the rule. */

import { basename, delimiter, dirname, isAbsolute, parse, sep } from "node:path";
import { contains, ownFolder, personalHomes, realPathOf } from "../process/folders.ts";
import { io, optionalVariable, systemPath } from "../io.ts";
import { log } from "../log.ts";
import { protect, protectLibraries } from "../process/protected_paths.ts";
import {
  addWritableFolders,
  formsOf,
  resetWritableFolders,
  writableFolders,
} from "./writable_folders.ts";

/** Folders in which projects keep programs. The bundled tools that write files refuse paths with these names. */
export const projectPlaces: readonly string[] = [
  ...["node_modules", ".venv", "venv", ".direnv", ".devenv", ".pixi", ".tox", ".nox"],
];

export const personalPlaces: readonly string[] = [
  ...[".local", ".cargo", ".rustup", ".deno", ".bun", ".nvm", ".fnm", ".volta", ".npm-global"],
  ...[".asdf", ".pyenv", ".rbenv", ".nodenv", ".goenv", ".jenv", ".sdkman", ".krew"],
  ...[".nix-profile", ".proto", ".rye", ".pulumi", ".npm"],
];

/** In a config, `{programs}` in `never` forbids these names in a path, and names of files that list MCP servers. */
export const programPlaces: readonly string[] = [...projectPlaces, ...personalPlaces];

/** The value that PATH gets in place of an empty one, which would mean the working directory. */
const devNull = Deno.build.os === "windows" ? "\\\\.\\nul" : "/dev/null";

let changed: { readonly from: string; readonly to: string } | undefined;

const warned = new Set<string>();

/** Remembers which folders of PATH are left out, until agents may write in other folders. */
const known = new Map<string, boolean>();

export function guardSearchPath(): void {
  resetWritableFolders();
  warned.clear();
  protectLibraries();
  leaveOut([]);
}

/** Takes each folder that lies in `folders` or in the working directory out of PATH: an agent may write programs there. */
export function leaveOut(folders: readonly string[]): void {
  addWritableFolders(folders);
  known.clear();
  cleanVariables(isLeftOut);
  const from = givenPath();
  if (from === undefined) return;
  protectPersonal(from);
  const to = safePath(from);
  if (to === optionalVariable("PATH")) return;
  try {
    io().env.set("PATH", to);
    changed = { from, to };
  } catch (error) {
    // Deno forbids to set PATH if `--allow-run` names the programs; climax still leaves folders out of its own look-ups
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
  }
}

/** Protects folders of PATH in the home folder from sandboxes: other programs of the person use them. */
function protectPersonal(path: string): void {
  const all = writableFolders();
  const homes = homesOfPerson().filter((home) => all.some((root) => contains(root, home)));
  for (const folder of homes.length === 0 ? [] : path.split(delimiter).map(unquote)) {
    const isOfProject = folder.split(sep).some((name) => projectPlaces.includes(name));
    if (!isOfProject && homes.some((home) => home !== folder && contains(home, folder))) {
      protect(folder);
    }
  }
}

function givenPath(): string | undefined {
  const path = optionalVariable("PATH");
  return path === changed?.to ? changed?.from : path;
}

export function safePath(path: string): string {
  return path.split(delimiter).filter((folder) => !isLeftOut(unquote(folder))).join(delimiter) ||
    devNull;
}

/** Returns the folders of PATH that are absolute and closed to agents. Warns once of each other folder that exists. */
export function searchFolders(path = givenPath() ?? ""): string[] {
  const folders = path.split(delimiter).map(unquote);
  const unknown = folders.filter((it) => !warned.has(it) && isLeftOut(it) && isThere(it));
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

/** Removes the quotes that Windows puts around a folder of PATH whose name has a `;`. */
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
  return known.getOrInsertComputed(`${ownFolder()}\0${folder}`, () => {
    const forms = formsOf(folder);
    return writableFolders().some((root) => forms.some((form) => isReached(root, form)));
  });
}

/** Returns whether an agent that may write in `root` decides what is in `folder`. */
function isReached(root: string, folder: string): boolean {
  const [top, name] = parting(root, folder);
  if (name === "node_modules") return true;
  const homes = homesOfPerson();
  if (name.startsWith(".") && projectPlaces.includes(name)) {
    if (!homes.some((home) => top !== root && contains(top, home))) return true;
  }
  // Even if the whole system is served from `/`, only home folders count as writable by the agent, not `/usr` or others
  return contains(root, folder) &&
    (root !== parse(root).root || homes.some((home) => contains(home, folder)));
}

function homesOfPerson(): readonly string[] {
  return personalHomes().filter((home) => home !== parse(home).root)
    .flatMap((home) => [home, realPathOf(home) ?? home]);
}

function parting(root: string, folder: string): [top: string, name: string] {
  let top = folder;
  let name = "";
  while (!contains(top, root) && dirname(top) !== top) {
    name = basename(top).toLowerCase();
    top = dirname(top);
  }
  return [top, name];
}

/** Variables that are lists of paths, separated as in PATH; paths where an agent may write are taken out. */
const lists: readonly string[] = [
  ...["PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE", "NODE_PATH", "PERL5LIB"],
  ...["PERLLIB", "RUBYLIB", "GEM_PATH", "GEM_HOME", "CLASSPATH", "LD_LIBRARY_PATH", "BASH_ENV"],
  ...["DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "ENV"],
];

/** Variables with options or commands, which are emptied if a word is a path (has a slash) where an agent may write. */
const lines: readonly string[] = [
  ...["NODE_OPTIONS", "PERL5OPT", "RUBYOPT", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"],
  ...["_JAVA_OPTIONS", "GOFLAGS", "RUSTC_WRAPPER", "LUA_PATH", "LUA_CPATH", "LD_PRELOAD"],
  ...["LD_AUDIT", "DYLD_INSERT_LIBRARIES", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_PROXY_COMMAND"],
  ...["GIT_EXTERNAL_DIFF", "GIT_ASKPASS", "SSH_ASKPASS", "LESSOPEN"],
];

function cleanVariables(isLeftOut: (path: string) => boolean): void {
  for (const name of [...lists, ...lines]) {
    const value = optionalVariable(name);
    if (!value) continue;
    const left = lists.includes(name)
      ? value.split(delimiter).filter((path) => !isLeftOut(path)).join(delimiter)
      : value.split(/[\s=:;,"']+/).some((word) => word.includes("/") && isLeftOut(word))
      ? ""
      : value;
    if (left === value) continue;
    try {
      io().env.set(name, left);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotCapable)) throw error;
      continue;
    }
    const what = `${name} names files where an agent may write, or a relative path`;
    log("warning", `${what}: climax and its programs go without them`);
  }
}
