/** Checks the patch of `git apply`, and makes a patch for `git add` of some hunks. */

import { join, resolve } from "node:path";
import { statOf } from "../process/folders.ts";
import { isThere } from "../process/protected_paths.ts";
import type { Invocation } from "./invocation.ts";
import { type Known, wordsOf } from "./_git_credentials.ts";
import { isObeyed, privatePart } from "./private_paths.ts";
import { isBadName, RepositoryError, requireOutput } from "./repository.ts";

/** Gives the checked patch to git as its standard input. @throws {RepositoryError} if it must not be applied */
export async function withPatch(call: Invocation, known: Known): Promise<Invocation> {
  const [name, command = "", ...words] = call.argv;
  const { options, paths = [] } = wordsOf(words);
  const text = await patchOf(call, paths, known);
  const stdin = text.endsWith("\n") ? text : `${text}\n`;
  const about = (...more: readonly string[]) => {
    return known.ask(["apply", ...more], known.cwd, { stdin });
  };
  const isRead = async (...more: readonly string[]) => (await about("--numstat", ...more)).ok;
  const counting = !await isRead() && await isRead("--recount") ? ["--recount"] : [];
  await refusePatch(options, known, (...more) => {
    return requireOutput("read the patch", about(...counting, ...more));
  });
  return { ...call, argv: [name, command, ...counting, ...options], stdin };
}

async function patchOf({ stdin }: Invocation, paths: readonly string[], known: Known) {
  const [path, ...others] = paths;
  if ((path === undefined) === (stdin === undefined) || others.length > 0) {
    throw new RepositoryError("expected a patch: its text in patch, or its file in path");
  }
  if (path === undefined) return stdin!;
  if (!statOf(resolve(known.cwd, path))?.isFile) throw new RepositoryError(`'${path}' is no file`);
  const words = ["--no-color", "--no-line-number", "--no-column", "--text", "-h", "-e", ""];
  const line = ["--literal-pathspecs", "grep", "--no-index", ...words, "--", path];
  return await requireOutput(`read '${path}'`, known.ask(line, known.cwd));
}

async function refusePatch(
  options: readonly string[],
  known: Known,
  about: (...words: readonly string[]) => Promise<string>,
): Promise<void> {
  const names = async (...words: readonly string[]) => {
    const stdout = await about("--numstat", "-z", ...words);
    return stdout.split("\0").map((entry) => entry.split("\t").slice(2).join("\t"));
  };
  if (/(?<![^\n]) (?:create )?mode(?: change \d+ =>)? 160000 /.test(await about("--summary"))) {
    throw new RepositoryError("the patch makes a submodule\nLeave it out of the patch");
  }
  const both = await Promise.all([names(), names("--reverse")]);
  const [after, before] = options.includes("--reverse") ? both.toReversed() as typeof both : both;
  const refuse = (name: string | undefined, why: string) => {
    if (name !== undefined) throw new RepositoryError(`the patch changes '${name}', ${why}`);
  };
  const isObeyedName = (name: string) => isObeyed(name) || name !== "" && isBadName(name);
  refuse(
    [...after, ...before].find(isObeyedName),
    "which is never allowed: it leads elsewhere, or programs obey it\nLeave it out of the patch",
  );
  const counts = new Map<string, number>();
  for (const name of after) counts.set(name, (counts.get(name) ?? 0) + 1);
  const moved = before.find((name) => {
    const count = counts.get(name) ?? 0;
    counts.set(name, count - 1);
    return count === 0 && privatePart(name) !== undefined;
  });
  refuse(moved, "the name of a credential, to another name\nLeave it out of the patch");
  // With `--index`, `--cached` or `--3way`, git itself refuses to change files that it does not track
  if (["--index", "--cached", "--3way"].some((word) => options.includes(word))) return;
  const isStranger = (name: string) => !known.tracks(name) && isThere(join(known.top, name));
  refuse(
    before.find((name) => name !== "" && isStranger(name)),
    "which git does not track here\nAdd it first with git_add, or edit the file",
  );
}

const [hunksOption, contextOption] = ["--hunks=", "--unified="];

/** Turns `git add --hunks=1,3 -- FILE` into a patch of these hunks for the index. @throws {RepositoryError} */
export async function withHunks(
  call: Invocation,
  { ask, cwd, top }: Known,
): Promise<{ readonly invocation: Invocation; readonly note?: string }> {
  const [name, , ...words] = call.argv;
  const { options, paths = [] } = wordsOf(words);
  const valueOf = (option: string) => {
    return options.find((word) => word.startsWith(option))?.slice(option.length);
  };
  const [wish, context] = [valueOf(hunksOption), valueOf(contextOption)];
  if ((wish ?? context) === undefined) return { invocation: call };
  if (wish === undefined) throw new RepositoryError("unified is for hunks\nName their numbers");
  const [path] = paths;
  const { head, hunks, others } = await hunksOf(ask, cwd, paths, context);
  const numbers = [...new Set(wish.split(",").map(Number))].toSorted((a, b) => a - b);
  const missing = numbers.find((number) => hunks[number - 1] === undefined);
  if (path === undefined || others > 0) {
    throw new RepositoryError("hunks are numbered within one file\nName that file in path");
  }
  if (missing !== undefined) {
    const why = `git_diff shows ${hunks.length} in this file\nLook at git_diff again`;
    throw new RepositoryError(`there is no hunk ${missing}: ${why}`);
  }
  const chosen = numbers.map((number) => hunks[number - 1]!);
  const stdin = [head.replace(/(?<![^\n])(?:old|new) mode [^\n]*\n/g, ""), ...chosen].join("");
  if (stdin.includes("\ufffd")) {
    throw new RepositoryError("the file is no UTF-8\nStage all of it, without hunks");
  }
  const check = options.includes("--dry-run") ? ["--check"] : [];
  const exact = context === "0" ? ["--unidiff-zero"] : [];
  const argv = [name, "apply", "--cached", "--whitespace=nowarn", ...exact, ...check] as const;
  const count = (sign: string) => {
    return chosen.join("").split("\n").filter((line) => line.startsWith(sign)).length;
  };
  const places = chosen.map((hunk) => /^@@ .*? @@/.exec(hunk)?.[0]).join(", ");
  const done = check.length > 0 ? "would stage" : "staged";
  const note = `${done} hunk ${numbers.join(", ")} of ${hunks.length} of ${path}, ` +
    `+${count("+")} -${count("-")}: ${places}`;
  return { invocation: { ...call, argv, cwd: top, stdin }, note };
}

async function hunksOf(
  ask: Known["ask"],
  cwd: string,
  paths: readonly string[],
  context: string | undefined,
) {
  const line =
    "diff --no-color --no-ext-diff --no-textconv --ignore-submodules=dirty --no-relative " +
    "--src-prefix=a/ --dst-prefix=b/";
  const words = context === undefined ? [] : [contextOption + context];
  const answer = ask([...line.split(" "), ...words, "--", ...paths], cwd);
  const all = await requireOutput("list the hunks", answer);
  // A lookbehind finds the starts of lines, because `^` with the flag `m` would also match after a carriage return
  const [file = "", ...others] = all.split(/(?<![^\n])(?=diff --git )/);
  const [head = "", ...hunks] = `${file}\n`.split(/(?<![^\n])(?=@@ )/);
  return { head, hunks, others: others.length };
}
