/**
 * Prepares a call of git: looks at what git would follow in the repository, leaves credentials out of what it reads and
 * takes in, and, in a sandbox, leaves in sight what the call takes. A program that git runs on commits gets a copy.
 */

import { join, relative, resolve, sep } from "node:path";
import { contains, homeFolders, ownFolder, realPathOf } from "../process/folders.ts";
import { optionalVariable, systemPath } from "../io.ts";
import { isThere, pathsToRefuse } from "../process/protected_paths.ts";
import { ask } from "./ask_program.ts";
import { environmentOf } from "./child_environment.ts";
import type { Invocation } from "./invocation.ts";
import { privatePart, protectedInGit, protectedNames, systemFolders } from "./private_paths.ts";
import {
  type AskGit,
  ceilingOf,
  credentialsAmong,
  examineIndex,
  exclusionOf,
  findRepository,
  forEach,
  type IndexFindings,
  isMutual,
  type Repository,
  RepositoryError,
  settingsOf,
} from "./repository.ts";
import { askInSandbox, withoutWriting } from "./sandbox.ts";
import { canBeSeen, foldersToGuard, type Sandbox } from "./sandbox_view.ts";
import { searchFolders } from "./search_path.ts";
import { TemporaryFolder } from "./_sandbox_end.ts";

export interface GitCall {
  readonly invocation: Invocation;
  /** The repositories of submodules in the index, there or not. */
  readonly submodules: () => Promise<readonly string[]>;
  /** Paths with the name of a credential that git does not read or take in. */
  readonly leftOut?: readonly string[];
  /** Holds the copy in which the call runs, and is to be removed at its end. */
  readonly temporary?: TemporaryFolder;
}

/** Milliseconds to make a copy of a repository. */
const copyMs = 300_000;

type Argv = Invocation["argv"];

/** @throws {RepositoryError} for what git must not do there */
export async function prepareGit(program: string, invocation: Invocation): Promise<GitCall> {
  const served = realPathOf(ownFolder()) ?? ownFolder();
  const cwd = realPathOf(resolve(ownFolder(), invocation.cwd ?? ""));
  const unchanged = { invocation, submodules: () => Promise.resolve([]) };
  if (cwd === undefined) return unchanged;
  const isServed = contains(served, cwd);
  // Who describes a command of git in a config may say how far git looks up
  const env = isServed ? { ...ceilingOf(served), ...invocation.env } : invocation.env;
  const call = { ...invocation, env };
  const askGit = askerFor(program, call);
  const repository = await findRepository(askGit, cwd);
  const [, command = ""] = call.argv;
  if (command === "init" && wordsOf(call.argv).options.includes("--bare")) {
    refuseArmed(call.argv, cwd);
  }
  if (repository === undefined) {
    const above = isServed && !/^(?:init|clone|--version)$/.test(command) &&
      await findRepository(askGit, cwd, { GIT_CEILING_DIRECTORIES: "" });
    if (above) refuseTop(served, above);
    return { ...unchanged, invocation: call };
  }
  if (isServed && invocation.env["GIT_CEILING_DIRECTORIES"] === undefined) {
    if (!contains(served, repository.top)) refuseTop(served, repository);
    const { gitFolder, commonFolder } = repository;
    // What lies outside must name the working tree, and nobody inside may have written that name
    const isOutside = !contains(served, gitFolder) || !contains(served, commonFolder);
    const isTheirs = contains(commonFolder, gitFolder) && !contains(served, gitFolder);
    if (isOutside && !(isTheirs && await isMutual(askGit, repository))) {
      const other = contains(served, gitFolder) ? commonFolder : gitFolder;
      throw new RepositoryError(
        `'${repository.top}' says that its repository is '${other}', which knows nothing of it`,
      );
    }
    refuseNetwork(call.sandbox, served, repository);
  }
  const hidden = pathsToRefuse(false);
  const reads = command === "grep" && !wordsOf(call.argv).options.includes("--cached");
  const findings = await examineIndex(askGit, repository, { hidden, reads });
  const { submodules } = findings;
  if (command === "bisect" && call.argv[2] === "run") {
    return { submodules, ...await inCopy(program, call, repository) };
  }
  const known = { ...repository, ...findings, ask: askGit, cwd };
  await refuseCredentials(call, known);
  const { argv, leftOut } = await withoutCredentials(withPaths(call.argv, cwd), known);
  const sandbox = call.sandbox && await narrow(program, call.sandbox, known);
  return { invocation: { ...call, argv, ...(sandbox ? { sandbox } : {}) }, submodules, leftOut };
}

/** Refuses a repository without a working tree around files that are there: git would take them for its own. */
function refuseArmed(argv: Argv, cwd: string): void {
  const { options, paths = options.slice(2).filter((word) => !word.startsWith("-")) } = wordsOf(
    argv,
  );
  const folder = resolve(cwd, paths[0] ?? "");
  if (!isThere(folder) || Deno.readDirSync(systemPath(folder)).next().done) return;
  throw new RepositoryError(
    `'${folder}' has files already, which git would obey in a repository without a working tree\nName a new folder`,
  );
}

/**
 * Refuses the network that a config asks for to a repository below in which programs of other sandboxes may write: what
 * they write there, git runs.
 */
function refuseNetwork(sandbox: Sandbox | undefined, served: string, repository: Repository) {
  const { top, gitFolder } = repository;
  if (sandbox?.network !== "host" || !sandbox.unsetKeys?.includes("network")) return;
  if (!contains(served, gitFolder)) return;
  const guarded = [...foldersToGuard(sandbox, served), served];
  if (guarded.some((folder) => contains(join(folder, ".git"), gitFolder))) return;
  throw new RepositoryError(
    `programs in a sandbox may write in the repository of '${top}', so git gets no network there\n` +
      `Ask a person to start climax in '${top}', or to give the tool the network in the policy`,
  );
}

function refuseTop(served: string, { top }: Repository): never {
  throw new RepositoryError(
    `'${served}', which climax serves, belongs to the repository of '${top}': git would read and change what lies beside it\n` +
      `Ask a person to start climax in '${top}'`,
  );
}

/** Runs git as the call would, but it writes nothing. */
function askerFor(program: string, { sandbox, env, inherit }: Invocation): AskGit {
  return (args, cwd, { env: more, stdin } = {}) => {
    const own = { ...env, ...more };
    if (sandbox === undefined) {
      const { env: variables, clearEnv = false } = environmentOf(own, inherit);
      return ask(program, args, cwd, variables, { stdin, clearEnv });
    }
    const line = { program, args, cwd, env: own, inherit };
    return askInSandbox(line, withoutWriting(sandbox), { stdin });
  };
}

interface Known extends Repository, IndexFindings {
  readonly ask: AskGit;
  readonly cwd: string;
}

/** Gives git the paths that were checked: it takes the end of the path of a linked working tree for its name. */
function withPaths(argv: Argv, cwd: string): Argv {
  const [name, command = "", ...words] = argv;
  const end = words.indexOf("--") + 1;
  if (command !== "worktree" || words[0] !== "remove" || end === 0) return argv;
  const paths = words.slice(end).map((path) => resolve(cwd, path));
  return [name, command, ...words.slice(0, end), ...paths];
}

/** What stands before the paths, without the values that follow an option, and the paths. */
function wordsOf(argv: readonly string[]) {
  const options: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at]!;
    if (word === "--") return { options, paths: argv.slice(at + 1) };
    options.push(word);
    if (word === "-e" || word === "-L") at++;
  }
  return { options, paths: undefined };
}

/** The words of a call that may name commits. */
function revisionsOf(argv: Argv): string[] {
  return wordsOf(argv).options.slice(2).flatMap((word) => {
    if (word === "-") return ["@{-1}"];
    return word.startsWith("-") ? /^--(?:source|onto)=(.+)/s.exec(word)?.[1] ?? [] : [word];
  });
}

/** The ids that git takes `revision` for, those behind `^` left out of a range; none if it is no revision. */
async function resolveRevision({ ask, top }: Known, revision: string): Promise<readonly string[]> {
  const words = ["rev-parse", "--revs-only", "--end-of-options", revision];
  const { ok, stdout } = await ask(words, top);
  return ok ? stdout.split("\n").filter((line) => /^\^?[0-9a-f]{40,64}$/.test(line)) : [];
}

/** Refuses what would give a credential another name, or take it in or write over it while git does not track it. */
async function refuseCredentials({ argv, stdin }: Invocation, known: Known): Promise<void> {
  const { ask, cwd, top } = known;
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
  if (command === "apply" && stdin !== undefined) {
    const names = async (words: readonly string[]) => {
      const line = ["apply", "--numstat", "-z", ...words];
      const { ok, stdout, complaint } = await ask(line, cwd, { stdin });
      if (!ok) throw new RepositoryError(`git cannot read the patch: ${complaint}`);
      return stdout.split("\0").map((entry) => entry.split("\t").slice(2).join("\t"));
    };
    const [after, before] = await Promise.all([names([]), names(["--reverse"])]);
    for (const name of after) if (before.includes(name)) before.splice(before.indexOf(name), 1);
    const moved = before.find((name) => privatePart(name) !== undefined);
    if (moved !== undefined) {
      throw new RepositoryError(
        `the patch gives '${moved}' another name, and that is the name of a credential\nLeave it out of the patch`,
      );
    }
  }
  // `git switch` looks by itself
  if (!/^(?:reset|restore|merge|rebase|cherry-pick|revert|stash|bisect)$/.test(command)) return;
  const isStash = command === "stash" && /^(?:pop|apply)$/.test(argv[2] ?? "");
  const unsaid: Readonly<Record<string, string>> = { rebase: "@{upstream}", bisect: "HEAD" };
  const without = isStash ? ["stash@{0}"] : [unsaid[command] ?? []].flat();
  for (const revision of new Set([...without, ...revisionsOf(argv)])) {
    const ids = await resolveRevision(known, revision);
    const names = [
      ...await Promise.all(ids.map((id) => namesInTree(known, id.replace("^", "")))),
      ...await namesOnTheWay(known, command, ids),
    ];
    let path: string | undefined;
    await forEach(names.flat(), (name) => {
      if (path === undefined && privatePart(name) !== undefined && !known.tracks(name)) {
        path = isThere(join(top, name)) ? name : undefined;
      }
    });
    if (path !== undefined) {
      throw new RepositoryError(
        `'${path}' is here, has the name of a credential, and git does not track it: '${revision}' has another file of ` +
          "that name, which would take its place\nAsk a person to put the file aside",
      );
    }
  }
}

async function namesInTree({ ask, top }: Known, id: string): Promise<readonly string[]> {
  const words = ["ls-tree", "-r", "-z", "--full-tree", "--name-only", id];
  const { ok, stdout, complaint } = await ask(words, top);
  if (!ok) throw new RepositoryError(`git cannot list the files of ${id}: ${complaint}`);
  return stdout.split("\0");
}

/** The files that are changed by the commits that `command` carries out one by one, or may stop at. */
async function namesOnTheWay(
  { ask, top }: Known,
  command: string,
  ids: readonly string[],
): Promise<readonly string[][]> {
  const isRange = ids.some((id) => id.startsWith("^"));
  const ways: Readonly<Record<string, readonly string[]>> = {
    bisect: ["--all", "HEAD", ...ids.filter((id) => !id.startsWith("^"))],
    rebase: [...ids.map((id) => `${id.replace("^", "")}...HEAD`)],
    revert: isRange ? ids : ["--no-walk", ...ids],
    "cherry-pick": isRange ? ids : ["--no-walk", ...ids],
  };
  const way = ways[command];
  if (way === undefined || ids.length === 0) return [];
  const words = ["log", "-m", "--no-renames", "--name-only", "--format=", "-z", ...way, "--"];
  const { ok, stdout, complaint } = await ask(words, top);
  if (!ok) throw new RepositoryError(`git cannot list what these commits change: ${complaint}`);
  return [stdout.split("\0")];
}

/** Credentials that git tracks and that are not as it has them. */
async function findChanged({ ask, top, credentials }: Known): Promise<readonly string[]> {
  if (credentials.length === 0) return [];
  // Their names as words may be more than the system takes
  const { ok, stdout, complaint } = await ask(["diff-files", "--name-only", "-z"], top);
  if (!ok) throw new RepositoryError(`git cannot list what was changed: ${complaint}`);
  const known = new Set(credentials);
  const changed: string[] = [];
  await forEach(stdout.split("\0"), (name) => {
    for (let end = name.length; end > 0; end = name.lastIndexOf("/", end - 1)) {
      if (known.has(name.slice(0, end))) return void changed.push(name);
    }
  });
  return changed;
}

/** A pattern for names of credentials, as a config has it for machines on which nothing asks git. */
const isPattern = (word: string) => /^:\(exclude,top,icase,glob\)\*\*\/.*\[.{150}\]/.test(word);

/** The words of a call that reads the working tree, or takes in what is there, without credentials. */
async function withoutCredentials(
  argv: Argv,
  known: Known,
): Promise<{ readonly argv: Argv; readonly leftOut: readonly string[] }> {
  const [name, command = "", ...rest] = argv;
  const words = rest.filter((word) => !isPattern(word) || isOfClimax(word));
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
  const found = new Set(
    command === "grep" ? known.credentials : await findChanged(known),
  );
  if (takesNew) {
    const others = ["ls-files", "--others", "--exclude-standard", "-z"];
    const { ok, stdout, complaint } = await known.ask(others, known.top);
    if (!ok) throw new RepositoryError(`git cannot list untracked files: ${complaint}`);
    for (const path of credentialsAmong(stdout)) found.add(path);
    for (const path of pathsToRefuse(false)) {
      const isIn = contains(known.top, path) && isThere(path);
      if (isIn) found.add(relative(known.top, path).replaceAll(sep, "/"));
    }
  }
  const leftOut = [...found];
  if (leftOut.length === 0) return { argv: [name, command, ...words], leftOut };
  const exclusions = leftOut.map(exclusionOf);
  if (command === "commit" && isAll) {
    // It refuses paths beside --all; this stages the same
    const others = options.filter((word) => word !== "--all");
    const line = [...others, "--include", "--", ":/", ...exclusions];
    return { argv: [name, command, ...line], leftOut };
  }
  const line = [...words, ...(paths === undefined ? ["--"] : []), ...exclusions];
  return { argv: [name, command, ...line], leftOut };
}

/** The ids that a `git diff` compares. @throws {RepositoryError} for a file of a commit, which git compares with any file */
async function comparedIn(argv: Argv, known: Known): Promise<readonly string[]> {
  const found = await Promise.all(revisionsOf(argv).map((word) => resolveRevision(known, word)));
  const ids = found.flat();
  for (const id of ids) {
    const { stdout } = await known.ask(["cat-file", "-t", id.replace("^", "")], known.top);
    if (stdout === "blob") {
      throw new RepositoryError(
        "git would compare a file of a commit with any file that is here\n" +
          "Name commits in revision and the file in path, or show the file with git_show",
      );
    }
  }
  return ids;
}

/** True for what is left out although it is no credential. */
function isOfClimax(word: string): boolean {
  return /\](?:climax|tamamo-x)\//.test(word);
}

/** The files of the person's settings by working tree: which they are seldom changes. */
const settings = new Map<string, Promise<string[]>>();

/** Most working trees in {@linkcode settings}. */
const maxSettings = 100;

/** Leaves in sight the working tree, the repository and the settings of the person, as far as no policy says more. */
async function narrow(program: string, sandbox: Sandbox, known: Known): Promise<Sandbox> {
  const { top, gitFolder, commonFolder, submodules } = known;
  const { creates, unsetKeys = [] } = sandbox;
  // Only configs that come with climax say what their calls write
  if (creates === undefined) return sandbox;
  const own = [top, ...contains(commonFolder, gitFolder) ? [] : [gitFolder], commonFolder];
  const opened = new Set(creates.flatMap((path) => /\/\.git(\/.*)$/.exec(path)?.[1] ?? []));
  const writes = unsetKeys.includes("write") && {
    write: creates.length === 0 ? [] : [...own, ...gitFolder === commonFolder ? [] : [gitFolder]],
    creates: [...opened].map((path) => {
      return (path.startsWith("/rebase-") ? gitFolder : commonFolder) + path;
    }),
    submodules: creates.length === 0 ? [] : await submodules(),
  };
  if (settings.size > maxSettings) settings.clear();
  const isSeen = systemFolders.some((folder) => contains(folder, realPathOf(program) ?? program));
  const reads = isSeen && unsetKeys.includes("read") && sandbox.read.includes("/") && {
    read: [...own, ...await othersToRead(sandbox, known)],
    settings: await settings.getOrInsertComputed(top, () => {
      return settingsOf(known.ask, top, homeFolders()?.home ?? "/");
    }),
  };
  return { ...sandbox, ...writes || {}, ...reads || {} };
}

async function othersToRead(sandbox: Sandbox, { ask, commonFolder, cwd }: Known) {
  const { read } = sandbox;
  const alternates = isThere(join(commonFolder, "objects", "info", "alternates"))
    ? (await ask(["count-objects", "-v"], cwd)).stdout
    : "";
  const others = alternates.matchAll(/^alternate: (.+)$/gm).map(([, path]) => path!).toArray();
  const hidden = others.find((path) => !canBeSeen(sandbox, realPathOf(path) ?? path));
  if (hidden !== undefined) {
    throw new RepositoryError(
      `the repository has objects in '${hidden}', which is hidden in a sandbox\n` +
        "Ask a person to look at .git/objects/info/alternates",
    );
  }
  const paths = [
    ...read.filter((path) => path !== "/"),
    ...others,
    // Filters and helpers that the settings name
    ...searchFolders(optionalVariable("PATH")),
    // Without the tools for the command line, the git of macOS lies there
    "/Applications/Xcode.app",
  ];
  return [...new Set(paths.flatMap((path) => realPathOf(path) ?? []))].filter((path) =>
    path !== "/"
  );
}

/**
 * Has a bisection run in a clone: the program that tests each commit could write into the repository what git follows
 * later. The bisection in the repository stays as it is.
 */
async function inCopy(program: string, call: Invocation, repository: Repository) {
  const { top, commonFolder } = repository;
  const { ok, stdout } = await askerFor(program, call)(
    ["for-each-ref", "--format=%(objectname) %(refname:strip=2)", "refs/bisect"],
    top,
  );
  const refs = ok ? stdout.split("\n").map((line) => line.split(" ")) : [];
  const ofTerm = (pattern: RegExp) =>
    refs.filter(([, name = ""]) => pattern.test(name))
      .map(([id]) => id!);
  const [bad] = ofTerm(/^(?!.*-[0-9a-f]{40,}$)./);
  const good = ofTerm(/^(?!skip-).*-[0-9a-f]{40,}$/);
  if (bad === undefined || good.length === 0) {
    throw new RepositoryError("no bisection has begun here\nBegin one with git_bisect_start");
  }
  const temporary = new TemporaryFolder();
  const copy = join(temporary.path, "copy");
  const env = { ...call.env, ...ceilingOf(copy) };
  const sandbox = call.sandbox && {
    ...call.sandbox,
    write: [temporary.path, copy, join(copy, ".git")],
    creates: [
      ...protectedNames.map((name) => join(copy, name)),
      ...protectedInGit.map((name) => join(copy, ".git", name)),
    ],
    read: [...call.sandbox.read, commonFolder],
    submodules: [],
  };
  const whileEmpty = { ...call.sandbox!, write: [temporary.path], creates: [], submodules: [] };
  const step = async (args: readonly string[], cwd: string, more = {}) => {
    const { inherit } = call;
    const line = { program, args, cwd, env: { ...env, ...more }, inherit };
    const limits = { limit: copyMs };
    const { ok, complaint } = sandbox === undefined
      ? await ask(program, args, cwd, line.env, limits)
      : await askInSandbox(line, cwd === copy ? sandbox : whileEmpty, limits);
    if (!ok) throw new RepositoryError(`no copy can be made for the bisection: ${complaint}`);
  };
  try {
    const clone = ["clone", "--quiet", "--shared", "--no-checkout", "--", top, copy];
    await step(clone, temporary.path, { GIT_ALLOW_PROTOCOL: "file" });
    await step(["bisect", "start", bad, ...good], copy);
    const skipped = ofTerm(/^skip-/);
    if (skipped.length > 0) await step(["bisect", "skip", ...skipped], copy);
  } catch (error) {
    temporary.remove();
    throw error;
  }
  const invocation = { ...call, env, cwd: copy, ...(sandbox === undefined ? {} : { sandbox }) };
  return { invocation, temporary };
}
