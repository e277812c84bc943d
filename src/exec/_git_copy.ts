/** Runs `git bisect run` in a copy of the repository. */

import { dirname, join } from "node:path";
import type { Known } from "./_git_credentials.ts";
import { ask } from "./ask_program.ts";
import type { Invocation } from "./invocation.ts";
import { protectedInGit, protectedNames } from "./private_paths.ts";
import { ceilingOf, RepositoryError } from "./repository.ts";
import { TemporaryFolder } from "./_sandbox_end.ts";
import { askInSandbox } from "./sandbox.ts";
import { systemPath } from "../io.ts";
import { isThere } from "../process/protected_paths.ts";

const copyMs = 300_000;

const maxLinks = 500;

/** First runs the test at `$1` (good) and `$2` (bad): if both ended alike, git would name any commit. */
const checkedRun = `!f() { good=$1; bad=$2; shift 2; at=$(git rev-parse HEAD) || exit 1
refuse() { echo "No commit is named: the command $1, so it does not tell where the fault began" >&2; exit 1; }
git checkout -q "$good" || exit 1; "$@"; code=$?
[ $code = 0 ] || refuse "fails at the good commit $good too, with $code (it can only read ignored folders)"
git reset -q --hard; git checkout -q "$bad" || exit 1; "$@"; code=$?
case $code in 0|125) refuse "does not fail at the bad commit $bad, with $code";; esac
git reset -q --hard; git checkout -q "$at" && git bisect run "$@"; }; f`;

/** Bisects in a clone, because a test could write files to the repository that git obeys. @throws {RepositoryError} */
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
  const ofTerm = (pattern: RegExp) => {
    return refs.flatMap(([id = "", name = ""]) => pattern.test(name) ? [id] : []);
  };
  const [bad] = ofTerm(/^(?!.*-[0-9a-f]{40,}$)./);
  const [good, ...others] = ofTerm(/^(?!skip-).*-[0-9a-f]{40,}$/);
  if (bad === undefined || good === undefined) {
    throw new RepositoryError("no bisection has begun here\nBegin one with git_bisect_start");
  }
  const ignored = await askGit(
    ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"],
    top,
  );
  const folders = ignored.stdout.split("\0").filter((path) => path.endsWith("/"))
    .map((path) => path.slice(0, -1)).slice(0, maxLinks)
    .filter((path) => !isThere(join(top, path, "CACHEDIR.TAG")));
  const temporary = new TemporaryFolder();
  const copy = join(temporary.path, "copy");
  const env = { ...call.env, ...ceilingOf(copy) };
  const read = [...call.sandbox?.read ?? [], top, commonFolder];
  const sandbox = call.sandbox && {
    ...call.sandbox,
    write: [temporary.path, copy, join(copy, ".git")],
    creates: [
      ...protectedNames.map((name) => join(copy, name)),
      ...protectedInGit.map((name) => join(copy, ".git", name)),
    ],
    read,
    submodules: [],
  };
  const whileEmpty = sandbox && { ...sandbox, write: [temporary.path], creates: [] };
  const step = async (args: readonly string[], cwd: string, more = {}) => {
    const { inherit } = call;
    const line = { program, args, cwd, env: { ...env, ...more }, inherit };
    const limits = { limit: copyMs };
    const { ok, complaint } = sandbox === undefined
      ? await ask(program, args, cwd, line.env, limits)
      : await askInSandbox(line, cwd === copy ? sandbox : whileEmpty!, limits);
    if (!ok) throw new RepositoryError(`no copy can be made for the bisection: ${complaint}`);
  };
  try {
    const clone = ["clone", "--quiet", "--shared", "--no-checkout", "--", top, copy];
    await step(clone, temporary.path, { GIT_ALLOW_PROTOCOL: "file" });
    link(folders, top, copy);
    await step(["bisect", "start", bad, good, ...others], copy);
    const skipped = ofTerm(/^skip-/);
    if (skipped.length > 0) await step(["bisect", "skip", ...skipped], copy);
  } catch (error) {
    temporary.remove();
    throw error;
  }
  const [name, , , ...words] = call.argv;
  const argv = [name, "-c", `alias.bisect-run=${checkedRun}`, "bisect-run", good, bad, ...words];
  const held = sandbox === undefined ? {} : { sandbox };
  return { invocation: { ...call, argv: argv as never, env, cwd: copy, ...held }, temporary };
}

/** Links the ignored folders, such as `node_modules`, without which most tests would fail in a clone. */
function link(folders: readonly string[], top: string, copy: string): void {
  const info = join(copy, ".git", "info");
  Deno.mkdirSync(systemPath(info), { recursive: true });
  const names = folders.map((path) => `/${path.replaceAll(/[\\*?[ ]/g, "\\$&")}\n`);
  Deno.writeTextFileSync(systemPath(join(info, "exclude")), names.join(""));
  for (const path of folders) {
    Deno.mkdirSync(systemPath(dirname(join(copy, path))), { recursive: true });
    const linked = systemPath(join(copy, path));
    Deno.symlinkSync(systemPath(join(top, path)), linked, { type: "dir" });
  }
}
