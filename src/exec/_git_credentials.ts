/**
 * Keeps git from reading and storing files with names of credentials, and from overwriting those that it does not
 * track.
 */

import { join, relative, resolve, sep } from "node:path";
import { systemPath } from "../io.ts";
import { contains, realPathOf } from "../process/folders.ts";
import { isThere, pathsToRefuse } from "../process/protected_paths.ts";
import type { Invocation } from "./invocation.ts";
import { privatePart } from "./private_paths.ts";
import {
  type AskGit,
  credentialsAmong,
  exclusionOf,
  forEach,
  type IndexFindings,
  isSubmodule,
  pathOf,
  type Repository,
  RepositoryError,
  requireOutput,
} from "./repository.ts";

type Argv = Invocation["argv"];

export interface Known extends Repository, IndexFindings {
  readonly ask: AskGit;
  readonly cwd: string;
}

/** Divides the words of a git call at `--`: words before it, without the values of `-e` and `-L`, and paths after it. */
export function wordsOf(argv: readonly string[]) {
  const options: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at]!;
    if (word === "--") return { options, paths: argv.slice(at + 1) };
    options.push(word);
    if (word === "-e" || word === "-L") at++;
  }
  return { options, paths: undefined };
}

function revisionsOf(argv: Argv): string[] {
  return wordsOf(argv).options.slice(2).flatMap((word) => {
    if (word === "-") return ["@{-1}"];
    return word.startsWith("-") ? /^--(?:source|onto)=(.+)/s.exec(word)?.[1] ?? [] : [word];
  });
}

/** Returns the commit ids of `revision`, with `^` before those that a range excludes; none if it is no revision. */
async function resolveRevision({ ask, top }: Known, revision: string): Promise<readonly string[]> {
  const words = ["rev-parse", "--revs-only", "--end-of-options", revision];
  const { ok, stdout } = await ask(words, top);
  return ok ? stdout.split("\n").filter((line) => /^\^?[0-9a-f]{40,64}$/.test(line)) : [];
}

/** Refuses a call that would rename a credential, store it, or overwrite one that git does not track. */
export async function refuseCredentials({ argv }: Invocation, known: Known): Promise<void> {
  const [, command = ""] = argv;
  if (wordsOf(argv).options.includes("--autostash")) {
    const [changed] = await findChanged(known);
    if (changed !== undefined) {
      throw new RepositoryError(
        `'${changed}' has the name of a credential and was changed: the stash would take it in\n` +
          "Leave out autostash, or ask a person to put the file aside",
      );
    }
  }
  if (!/^(?:reset|restore|merge|rebase|cherry-pick|revert|stash|bisect|switch)$/.test(command)) {
    return;
  }
  const isStash = command === "stash" && /^(?:pop|apply)$/.test(argv[2] ?? "");
  const unsaid: Readonly<Record<string, string>> = { rebase: "@{upstream}", bisect: "HEAD" };
  const without = isStash ? ["stash@{0}"] : [unsaid[command] ?? []].flat();
  const revisions = [...new Set([...without, ...revisionsOf(argv)])];
  const resolved = await Promise.all(revisions.map((each) => resolveRevision(known, each)));
  const looks = command === "bisect"
    ? [[revisions.join(" "), [...new Set(resolved.flat())]] as const]
    : revisions.map((revision, at) => [revision, resolved[at]!] as const);
  for (const [revision, ids] of looks) {
    const entries = (await Promise.all(ids.map((id) => treeOf(known, id.replace("^", ""))))).flat();
    await refuseSubmodules(entries, revision, known);
    // `git switch` itself refuses to overwrite untracked files, so no file can be lost
    if (command === "switch") continue;
    const names = await namesOnTheWay(known, command, ids) ??
      entries.map(pathOf).filter((name) => privatePart(name) !== undefined);
    let path: string | undefined;
    await forEach(names, (name) => path ??= lostFor(name, known));
    if (path !== undefined) {
      const other = command === "bisect" ? "a commit where a bisection may stop" : `'${revision}'`;
      throw new RepositoryError(
        `'${path}' is here, and git does not track it: ${other} has another file of that name, which would take ` +
          "its place\nMove it elsewhere first, or ask a person to put the file aside",
      );
    }
  }
}

function lostFor(name: string, { top, tracks }: Known): string | undefined {
  const parts = name.split("/");
  const paths = parts.map((_, at) => parts.slice(0, at + 1).join("/"));
  const path = paths.find((each) => {
    const at = join(top, each);
    const isAbove = each !== name && isThere(at) && Deno.lstatSync(systemPath(at)).isDirectory;
    return !tracks(each) && !isAbove;
  });
  return path && isThere(join(top, path)) ? path : undefined;
}

async function treeOf({ ask, top }: Known, id: string): Promise<readonly string[]> {
  const words = ["ls-tree", "-r", "-z", "--full-tree", id];
  return (await requireOutput(`list the files of ${id}`, ask(words, top))).split("\0");
}

/** Refuses a tree that makes an existing repository a submodule: git would then obey the settings of that repository. */
async function refuseSubmodules(entries: readonly string[], revision: string, known: Known) {
  const now = new Set(entries.filter(isSubmodule).map(pathOf));
  if (now.size === 0) return;
  const before = new Set(await known.submodules());
  const found = now.values().find((path) => {
    const own = join(known.top, path, ".git");
    return isThere(own) && !before.has(own);
  });
  if (found === undefined) return;
  throw new RepositoryError(
    `'${found}' is a repository of its own here, and '${revision}' would make a submodule of it\nAsk a person to look at it`,
  );
}

async function namesOnTheWay(
  { ask, top }: Known,
  command: string,
  ids: readonly string[],
): Promise<readonly string[] | undefined> {
  const isRange = ids.some((id) => id.startsWith("^"));
  const ways: Readonly<Record<string, readonly string[]>> = {
    bisect: ["--glob=refs/bisect/*", "HEAD", ...ids.filter((id) => !id.startsWith("^"))],
    rebase: ids.map((id) => `${id.replace("^", "")}...HEAD`),
    merge: [...ids, "^HEAD"],
    stash: ["--no-walk", ...ids],
    revert: isRange ? ids : ["--no-walk", ...ids],
    "cherry-pick": isRange ? ids : ["--no-walk", ...ids],
  };
  const way = ways[command];
  if (way === undefined || ids.length === 0) return way && [];
  const words = ["log", "-m", "--no-renames", "--name-only", "--format=", "-z", ...way, "--"];
  return (await requireOutput("list what these commits change", ask(words, top))).split("\0");
}

async function findChanged({ ask, top, credentials }: Known): Promise<readonly string[]> {
  if (credentials.length === 0) return [];
  // git lists all changed files, because the names of all credentials may be too long for a command line
  const words = ["diff", "--no-ext-diff", "--no-textconv", "--name-only", "-z"];
  const answer = ask(words, top);
  const names = (await requireOutput("list what was changed", answer)).split("\0");
  const known = new Set(credentials);
  const changed: string[] = [];
  await forEach(names, (name) => {
    for (let end = name.length; end > 0; end = name.lastIndexOf("/", end - 1)) {
      if (known.has(name.slice(0, end))) return void changed.push(name);
    }
  });
  return changed;
}

export async function withoutCredentials(
  argv: Argv,
  known: Known,
): Promise<{ readonly argv: Argv; readonly leftOut: readonly string[] }> {
  const [name, command = "", ...words] = argv;
  const { options, paths } = wordsOf(words);
  const has = (...all: readonly string[]) => all.some((word) => options.includes(word));
  const isAll = has("--all", "--update");
  const ids = command === "diff" ? await comparedIn(argv, known) : [];
  const isRange = ids.length > 1;
  const takes = command === "grep" && !has("--cached") ||
    command === "diff" && !has("--staged", "--cached") && !isRange ||
    command === "stash" && options[0] === "push" ||
    /^(?:add|commit)$/.test(command) && (isAll || paths !== undefined && paths.length > 0);
  if (!takes) return { argv, leftOut: [] };
  const takesNew = command === "add" && !has("--update") ||
    has("--untracked", "--include-untracked");
  const found = new Set(command === "grep" ? known.credentials : await findChanged(known));
  if (takesNew) {
    const answer = known.ask(["ls-files", "--others", "--exclude-standard", "-z"], known.top);
    const others = await requireOutput("list untracked files", answer);
    for (const path of credentialsAmong(others)) found.add(path);
    // A repository in the working tree is left out: git would store it as a submodule, and then obey its settings
    for (const path of others.split("\0")) if (path.endsWith("/")) found.add(path.slice(0, -1));
    for (const path of pathsToRefuse(false)) {
      const isIn = contains(known.top, path) && isThere(path);
      if (isIn) found.add(relative(known.top, path).replaceAll(sep, "/"));
    }
  }
  const leftOut = namedAmong([...found], paths, known);
  const exclusions = [...found].map(exclusionOf);
  if (exclusions.length === 0) return { argv, leftOut };
  // `git commit --all` takes no paths; `--include` with the top of the tree commits the same files, and takes exclusions
  const line = command === "commit" && isAll
    ? [...options.filter((word) => word !== "--all"), "--include", "--", ":/"]
    : [...words, ...(paths === undefined ? ["--"] : [])];
  return { argv: [name, command, ...line, ...exclusions], leftOut };
}

function namedAmong(
  found: readonly string[],
  paths: readonly string[] = [],
  { cwd, top }: Known,
): readonly string[] {
  const named = paths.filter((path) => !path.startsWith(":(exclude"));
  if (named.length === 0 || named.some((path) => /^:|[*?[\\]/.test(path))) return found;
  const folders = named.map((path) => resolve(realPathOf(cwd) ?? cwd, path));
  return found.filter((each) => folders.some((folder) => contains(folder, join(top, each))));
}

/**
 * Returns the ids of the revisions that `git diff` compares.
 * @throws {RepositoryError} if one of them is a file of a commit, which git would compare with any file in the folder
 */
async function comparedIn(argv: Argv, known: Known): Promise<readonly string[]> {
  const found = await Promise.all(revisionsOf(argv).map((word) => resolveRevision(known, word)));
  const ids = found.flat();
  if (ids.length === 0) return ids;
  // `^{}` makes git look at what a tag stands for, because a tag may stand for a file
  const stdin = ids.map((id) => `${id.replace("^", "")}^{}\n`).join("");
  const answer = known.ask(["cat-file", "--batch-check=%(objecttype)"], known.top, { stdin });
  if ((await requireOutput("look at the revision", answer)).split("\n").includes("blob")) {
    throw new RepositoryError(
      "git would compare a file of a commit with any file that is here\n" +
        "Name commits in revision and the file in path, or show the file with git_show",
    );
  }
  return ids;
}
