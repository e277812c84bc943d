/** Makes the copy of a repository in which a program tests commits. */

import { basename, join } from "node:path";
import { systemPath } from "../io.ts";
import { realPathOf } from "../process/folders.ts";
import { isThere } from "../process/protected_paths.ts";
import type { Known } from "./_git_credentials.ts";
import { TemporaryFolder } from "./_sandbox_end.ts";
import { ask } from "./ask_program.ts";
import type { Invocation } from "./invocation.ts";
import { protectedInGit, protectedNames } from "./private_paths.ts";
import { ceilingOf, RepositoryError } from "./repository.ts";
import { askInSandbox } from "./sandbox.ts";

/** Milliseconds to make a copy of a repository. */
const copyMs = 300_000;

/** Runs a command, and at its first run also at a good commit: what fails there tells nothing of the fault. */
const tryGoodFirst = `
good=$1
shift
if [ ! -e "$0.done" ]; then
  : > "$0.done"
  here=$(git rev-parse HEAD) && git checkout --quiet --force "$good" || exit 128
  "$@"
  code=$?
  if [ $code -ne 0 ] && [ $code -ne 125 ]; then
    echo "fails at the good commit $good too, so it does not tell which is bad (untracked files are not there)" >&2
    exit 128
  fi
  git checkout --quiet --force "$here" || exit 128
fi
exec "$@"
`;

/**
 * Has a bisection run in a clone: the program that tests each commit could write into the repository what git follows
 * later. The bisection in the repository stays as it is.
 */
export async function inCopy(
  program: string,
  call: Invocation,
  { top, commonFolder, ask: askGit }: Pick<Known, "top" | "commonFolder" | "ask">,
) {
  const { ok, stdout } = await askGit(
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
  const installed = ["node_modules", ".venv"].map((name) => join(top, name)).filter((path) =>
    isThere(path) && realPathOf(path) === path
  );
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
    read: [...call.sandbox.read, commonFolder, ...installed],
    submodules: [],
  };
  const whileEmpty = {
    ...call.sandbox!,
    write: [temporary.path],
    creates: [],
    read: [...call.sandbox?.read ?? [], top, commonFolder],
    submodules: [],
  };
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
    // The packages that are installed: a commit that has others writes its own
    for (const path of installed) {
      const { ok } = await askGit(["check-ignore", "--quiet", path], top);
      if (ok) await Deno.symlink(systemPath(path), join(copy, basename(path)));
    }
  } catch (error) {
    temporary.remove();
    throw error;
  }
  const [name, bisect, run, ...command] = call.argv as [string, string, string];
  const script = join(temporary.path, "try");
  await Deno.writeTextFile(systemPath(script), tryGoodFirst);
  const argv = [name, bisect, run, "/bin/sh", script, good[0]!, ...command] as const;
  const invocation = {
    ...call,
    argv,
    env,
    cwd: copy,
    ...(sandbox === undefined ? {} : { sandbox }),
  };
  return { invocation, temporary };
}
