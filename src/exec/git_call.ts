/** Prepares a call of git in a repository in which an agent may write, and narrows the sandbox of the call. */

import { join, resolve } from "node:path";
import { deadline } from "../async/deadline.ts";
import { contains, homeFolders, ownFolder, realPathOf } from "../process/folders.ts";
import { optionalVariable, systemPath } from "../io.ts";
import { isThere, pathsToRefuse } from "../process/protected_paths.ts";
import { inCopy } from "./_git_copy.ts";
import { type Known, refuseCredentials, withoutCredentials, wordsOf } from "./_git_credentials.ts";
import { withHunks, withPatch } from "./_git_patch.ts";
import { noteOfRemotes, withRemotePaths } from "./_git_remotes.ts";
import type { Invocation } from "./invocation.ts";
import { systemFolders } from "./private_paths.ts";
import {
  ceilingOf,
  credentialsAmong,
  examineIndex,
  findRepository,
  isMutual,
  type Repository,
  RepositoryError,
  settingsOf,
} from "./repository.ts";
import { askerFor, gitIn, withoutWriting } from "./sandbox.ts";
import { canBeSeen, foldersToGuard, type Sandbox } from "./sandbox_view.ts";
import { searchFolders } from "./search_path.ts";
import type { TemporaryFolder } from "./_sandbox_end.ts";

interface GitCall {
  readonly invocation: Invocation;
  /** Returns the `.git` of each submodule in the index, even if it does not exist yet. */
  readonly submodules: () => Promise<readonly string[]>;
  readonly leftOut?: readonly string[];
  readonly note?: string | undefined;
  readonly temporary?: TemporaryFolder;
}

type Argv = Invocation["argv"];

/** @throws {RepositoryError} if git must not make the call in this repository */
export async function prepareGit(program: string, invocation: Invocation): Promise<GitCall> {
  const served = realPathOf(ownFolder()) ?? ownFolder();
  const cwd = realPathOf(resolve(ownFolder(), invocation.cwd ?? ""));
  const unchanged = { invocation, submodules: () => Promise.resolve([]) };
  if (cwd === undefined) return unchanged;
  const isServed = contains(served, cwd);
  // A config may set `GIT_CEILING_DIRECTORIES` itself: its author may decide how far up git looks for a repository
  const isRun = invocation.argv[1] === "bisect" && invocation.argv[2] === "run";
  const env = {
    ...(isServed ? ceilingOf(served) : {}),
    ...invocation.env,
    // `git bisect run` runs code of a project, whose sandbox hides the person's settings; git fails on an unreadable file
    ...(isRun && invocation.sandbox ? { GIT_CONFIG_GLOBAL: "/dev/null" } : {}),
  };
  const call = { ...invocation, env };
  const askGit = askerFor(program, call.sandbox && withoutWriting(call.sandbox), call);
  const repository = await findRepository(askGit, cwd);
  const [, command = ""] = call.argv;
  if (command === "init" && wordsOf(call.argv).options.includes("--bare")) {
    refuseArmed(call.argv, cwd);
  }
  if (repository === undefined) {
    const above = isServed && !/^(?:init|clone|--version)$/.test(command) &&
      await findRepository(askGit, cwd, { GIT_CEILING_DIRECTORIES: "" });
    if (above) refuseTop(served, above);
    if (command === "apply") throw new RepositoryError("a patch is applied in a repository only");
    return { ...unchanged, invocation: call };
  }
  if (isServed && invocation.env["GIT_CEILING_DIRECTORIES"] === undefined) {
    if (!contains(served, repository.top)) refuseTop(served, repository);
    const { gitFolder, commonFolder } = repository;
    // A program may have made the served folder point to a repository elsewhere, so that repository must name this
    // folder
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
  if (isRun) {
    return { submodules, ...await inCopy(program, call, { ...repository, ask: askGit }) };
  }
  const known = { ...repository, ...findings, ask: askGit, cwd };
  const patched = command === "apply" ? await withPatch(call, known) : call;
  await refuseCredentials(patched, known);
  const { argv, leftOut } = await withoutCredentials(withFullPaths(patched.argv, cwd), known);
  const sandbox = call.sandbox && await narrow(program, call.sandbox, known);
  const ready = { ...patched, argv, ...(sandbox ? { sandbox } : {}) };
  if (["--index", "--3way"].some((word) => argv[1] === "apply" && argv.includes(word))) {
    // git takes a file for changed if its time is not that in the index, as in a copied folder, so the index is refreshed
    const refresh = ["update-index", "-q", "--refresh"];
    await askerFor(program, ready.sandbox, ready)(refresh, repository.top);
  }
  return { submodules, leftOut, ...await complete(ready, known) };
}

async function complete(
  call: Invocation,
  known: Known,
): Promise<Pick<GitCall, "invocation" | "note">> {
  const [, command] = call.argv;
  switch (command) {
    case "add":
      return await withHunks(call, known);
    case "fetch":
    case "pull":
    case "push":
      return { invocation: await withRemotePaths(call, known) };
    case "log":
      return { invocation: call, note: await restOfLog(call.argv, known) };
    case "remote":
      return {
        invocation: call,
        note: call.argv.includes("--verbose") ? await noteOfRemotes(known) : undefined,
      };
    default:
      return { invocation: call };
  }
}

/** After this many milliseconds, files with names of credentials are not looked for any longer, and none is reported. */
const findingMs = 2000;

/** Returns files at or below `paths` that have names of credentials; none if git does not answer in time. */
export async function credentialsLeftOut(
  { cwd, sandbox }: Invocation,
  paths: readonly string[],
): Promise<readonly string[]> {
  const folder = resolve(ownFolder(), cwd ?? "");
  const askGit = await gitIn(sandbox);
  const words = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...paths];
  const env = {
    ...(contains(ownFolder(), folder) ? ceilingOf(ownFolder()) : {}),
    GIT_LITERAL_PATHSPECS: "1",
  };
  const answer = askGit && await deadline(askGit(words, folder, { env }), findingMs);
  if (typeof answer !== "object" || !answer.ok) return [];
  // git may answer about the repository of another folder, so only paths that exist in this folder count
  return credentialsAmong(answer.stdout).filter((path) => isThere(resolve(folder, path)));
}

/** If a log may have been cut, git has this many milliseconds to say whether more commits follow. */
const restMs = 1500;

/** Returns a note that more commits follow, if a log has as many commits as its `--max-count`. */
async function restOfLog(argv: Argv, { ask, cwd }: Known): Promise<string | undefined> {
  const { options, paths = [] } = wordsOf(argv);
  const [most = 0, skipped = 0] = ["--max-count=", "--skip="].map((name) => {
    return Number(options.findLast((word) => word.startsWith(name))?.slice(name.length) ?? 0);
  });
  if (most < 20) return undefined;
  const words = options.slice(1).filter((word) => word !== "--graph");
  const bounds = [`--skip=${skipped + most}`, "--max-count=1"];
  const asked = ask([...words, ...bounds, "--format=tformat:x", "-s", "--", ...paths], cwd);
  const next = await deadline(asked, restMs);
  if (typeof next === "string" || !next.stdout.includes("x")) return undefined;
  return `there are more than these ${most} commits; skip: ${skipped + most} shows the next`;
}

/** Refuses to make a repository without a working tree in a folder with files: git would obey them as its own. */
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

/** Refuses the network to a repository where programs of other sandboxes may write: git runs what they write. */
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

/** Names a working tree by its full path, because git would also find one whose path ends in the given words. */
function withFullPaths(argv: Argv, cwd: string): Argv {
  const [name, command = "", ...given] = argv;
  const words = given.map((word, at) => {
    return given[at - 1] === "-L" ? word.replace(/^(\d+)-(?=\d)/, "$1,") : word;
  });
  const end = words.indexOf("--") + 1;
  if (command !== "worktree" || words[0] !== "remove" || end === 0) {
    return [name, command, ...words];
  }
  const paths = words.slice(end).map((path) => resolve(cwd, path));
  return [name, command, ...words.slice(0, end), ...paths];
}

/** The paths of the person's git settings, by working tree: git is asked once, because they seldom change. */
const settings = new Map<string, Promise<string[]>>();
const maxSettings = 100;

/** Narrows a sandbox to the working tree, the repository and the person's settings, where no policy says otherwise. */
async function narrow(program: string, sandbox: Sandbox, known: Known): Promise<Sandbox> {
  const { top, gitFolder, commonFolder, submodules } = known;
  const { creates, unsetKeys = [] } = sandbox;
  if (creates === undefined) return sandbox;
  const own = [...new Set([top, gitFolder, commonFolder])];
  const opened = new Set(creates.flatMap((path) => /\/\.git(\/.*)$/.exec(path)?.[1] ?? []));
  const writes = unsetKeys.includes("write") && {
    write: creates.length === 0 ? [] : own,
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
  const others = Array.from(alternates.matchAll(/(?<![^\n])alternate: ([^\n]+)/g), ([, it]) => it!);
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
    // Filters and credential helpers that git's settings name are programs in the folders of PATH
    ...searchFolders(optionalVariable("PATH")),
    // On a Mac without the command line tools, git is a part of Xcode
    "/Applications/Xcode.app",
  ];
  const real = new Set(paths.flatMap((path) => realPathOf(path) ?? []));
  return [...real].filter((path) => path !== "/");
}
