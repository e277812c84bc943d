/** Starts programs in a sandbox: on Linux by bubblewrap, on macOS by `sandbox-exec`. Elsewhere the start is refused. */

import { basename, dirname, isAbsolute, join } from "node:path";
import { formatProblem } from "../errors.ts";
import { ask, locateProgram, notFoundCode, type ProgramOutput } from "./ask_program.ts";
import { bubblewrapLine } from "./_bubblewrap.ts";
import { type AskerOfIndexes, NameGuard, TemporaryFolder } from "./_sandbox_end.ts";
import { SandboxError } from "./_found_paths.ts";
import { seatbeltWords } from "./_seatbelt.ts";
import { environmentOf, inheritVariables } from "./child_environment.ts";
import type { Invocation, NotStarted, StartFailure } from "./invocation.ts";
import type { SandboxEnd } from "./process_tree.ts";
import { sandboxSupport } from "./sandbox_check.ts";
import { type AskGit, RepositoryError, submodulesOf } from "./repository.ts";
import { foldersToGuard, type Sandbox, viewOf } from "./sandbox_view.ts";
import { isThere, openingsEnded } from "../process/protected_paths.ts";
import { contains, realPathOf } from "../process/folders.ts";

interface UnwrappedProgram {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly inherit: readonly string[] | undefined;
}

interface WrappedProgram {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  readonly begin: () => SandboxEnd;
  readonly discard?: () => void;
}

const ownVariables = { TMPDIR: "/tmp" };

/** Matches variables that make a shell, loader or C library read files, which bubblewrap and `sandbox-exec` must not. */
const leadsToFiles =
  /^(?:LD_|DYLD_|BASH|ENV$|SHELLOPTS$|PS4$|IFS$|GCONV_PATH$|LOCPATH$|NLSPATH$|GLIBC_|MALLOC_|GETCONF_)/;

export async function sandboxProgram(
  { program, args, cwd, env: configured, inherit }: UnwrappedProgram,
  sandbox: Sandbox,
): Promise<WrappedProgram | NotStarted> {
  const support = await sandboxSupport(sandbox.network);
  if (!support.ok) return refuse(formatProblem(support.problem));
  // For a bare name, bubblewrap or `sandbox-exec` would itself search the PATH of the program
  const path = isAbsolute(program) ? program : await locateProgram(program, configured);
  if (path === undefined) return refuse(program, "command not found");
  const { env = {} } = environmentOf(
    { ...ownVariables, ...configured },
    inheritVariables(sandbox, inherit),
  );
  const planted = [support.launcher[0], support.launcher.at(-1)!].find((maker) => {
    return sandbox.write.some((folder) => folder !== "/" && contains(folder, maker));
  });
  if (planted !== undefined) {
    return refuse(`'${planted}', which makes it, lies where programs in it may write`);
  }
  const wrap = support.kind === "bubblewrap" ? inBubblewrap : inSeatbelt;
  if (sandbox.creates !== undefined && sandbox.creates.length > 0) await openingsEnded();
  try {
    const submodules = sandbox.submodules ?? await findSubmodules(sandbox, cwd);
    const line = { argv: [path, ...args] as const, cwd, env, launcher: support.launcher };
    const askGit = sandbox.submodules === undefined ? () => gitIn(sandbox) : undefined;
    return wrap({ ...line, askGit }, { ...sandbox, submodules });
  } catch (error) {
    const isKnown = error instanceof SandboxError || error instanceof RepositoryError;
    if (isKnown) return refuse(error.message);
    throw error;
  }
}

export function withoutWriting(sandbox: Sandbox): Sandbox {
  const read = [...sandbox.read, ...sandbox.write];
  return { ...sandbox, read, write: [], creates: [], network: "none", submodules: [] };
}

export async function askInSandbox(
  program: UnwrappedProgram,
  sandbox: Sandbox,
  options: { readonly stdin?: string | undefined; readonly limit?: number } = {},
): Promise<ProgramOutput> {
  const wrapped = await sandboxProgram(program, sandbox);
  if ("failure" in wrapped) {
    const isNone = wrapped.failure === "command not found";
    const code = isNone ? { code: notFoundCode } : {};
    return { ok: false, ...code, stdout: "", complaint: wrapped.detail };
  }
  const { program: maker, args, env } = wrapped;
  try {
    return await ask(maker, args, program.cwd, env, { ...options, clearEnv: true });
  } finally {
    wrapped.discard?.();
  }
}

/** The variables for git when climax asks it a question: no setting of a repository can then make git run a program. */
const quietGit = {
  GIT_OPTIONAL_LOCKS: "0",
  // A sandbox hides the person's settings, and git fails on settings that it cannot read, so it gets none
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_COUNT: "3",
  GIT_CONFIG_KEY_0: "core.fsmonitor",
  GIT_CONFIG_VALUE_0: "false",
  GIT_CONFIG_KEY_1: "core.hooksPath",
  GIT_CONFIG_VALUE_1: "/dev/null",
  GIT_CONFIG_KEY_2: "safe.directory",
  GIT_CONFIG_VALUE_2: "*",
};

/** Returns a function by which climax asks git without writing. With `sandbox`, git sees what a program in it sees. */
export async function gitIn(sandbox: Sandbox | undefined): Promise<AskGit | undefined> {
  const program = await locateProgram("git");
  if (program === undefined) return undefined;
  return askerFor(program, sandbox && withoutWriting(sandbox), { env: quietGit });
}

/** Returns a function that asks the git at `program`, with the variables of a call. */
export function askerFor(
  program: string,
  sandbox: Sandbox | undefined,
  { env, inherit }: Pick<Invocation, "env" | "inherit">,
): AskGit {
  return async (args, cwd, { env: more, stdin } = {}) => {
    const own = { ...env, ...more };
    if (sandbox !== undefined) {
      return await askInSandbox({ program, args, cwd, env: own, inherit }, sandbox, { stdin });
    }
    const { env: variables, clearEnv = false } = environmentOf(own, inherit);
    return await ask(program, args, cwd, variables, { stdin, clearEnv });
  };
}

/** Returns the repositories of submodules where a program may write, since git runs programs by their configuration. */
async function findSubmodules(sandbox: Sandbox, cwd: string): Promise<readonly string[]> {
  const real = realPathOf(cwd) ?? cwd;
  const tops = foldersToGuard(sandbox, real).filter((folder) => isThere(join(folder, ".git")));
  const asker = tops.length === 0 ? undefined : await gitIn(sandbox);
  if (asker === undefined) return [];
  return (await Promise.all(tops.map((top) => submodulesOf(asker, top)))).flat();
}

interface Wrapping {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly launcher: readonly [string, ...string[]];
  readonly askGit: AskerOfIndexes;
}

function inBubblewrap(
  { argv, cwd, env, launcher, askGit }: Wrapping,
  sandbox: Sandbox,
): WrappedProgram {
  const { seen, open } = viewOf(sandbox, cwd);
  const { inside, everywhere } = byPlace(env);
  const [program, ...before] = launcher;
  const args = [
    ...before,
    ...bubblewrapLine(seen, sandbox.network, cwd),
    ...inside.flatMap(([name, value]) => ["--setenv", name, value]),
    ...["--", ...argv],
  ];
  const begin = () => new NameGuard(open, sandbox.write, askGit);
  return { program, args, env: Object.fromEntries(everywhere), begin };
}

function inSeatbelt({ argv, cwd, env, launcher }: Wrapping, sandbox: Sandbox): WrappedProgram {
  const { seen, open } = viewOf(sandbox, cwd);
  const closed = open.filter(({ path, isPart }) => {
    return !isPart || basename(path) === "HEAD" || isThere(join(dirname(path), "HEAD"));
  });
  const temporary = new TemporaryFolder();
  const { inside, everywhere } = byPlace({ ...env, TMPDIR: temporary.path });
  const [program, ...before] = launcher;
  const set = inside.map(([name, value]) => `${name}=${value}`);
  const args = [
    ...before,
    ...seatbeltWords({ seen, open: closed, network: sandbox.network, temporary: temporary.path }),
    ...(set.length === 0 ? [] : ["/usr/bin/env", ...set]),
    ...argv,
  ];
  return {
    program,
    args,
    env: Object.fromEntries(everywhere),
    begin: () => temporary,
    discard: () => temporary.remove(),
  };
}

/** Divides variables: those that {@linkcode leadsToFiles} matches are set only for the program in the sandbox. */
function byPlace(env: Readonly<Record<string, string>>) {
  const { inside = [], everywhere = [] } = Object.groupBy(Object.entries(env), ([name]) => {
    return leadsToFiles.test(name) ? "inside" : "everywhere";
  });
  return { inside, everywhere };
}

function refuse(detail: string, failure: StartFailure = "no sandbox"): NotStarted {
  return { kind: "not started", failure, detail };
}
