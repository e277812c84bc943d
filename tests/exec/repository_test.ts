import { privatePart } from "../../src/exec/private_paths.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import { type AskGit, examineIndex, exclusionOf } from "../../src/exec/repository.ts";
import { scratch } from "../e2e/_scratch.ts";
import { unix } from "../_requirements.ts";

/** A git whose index has `paths`. */
function indexOf(paths: readonly string[]): AskGit {
  const stdout = paths.map((path) => `100644 ${"0".repeat(40)} 0\t${path}\0`).join("");
  return () => Promise.resolve({ ok: true, code: 0, stdout, complaint: "" });
}

const examine = (top: string, ...paths: string[]) => {
  const repository = { top, gitFolder: join(top, ".git"), commonFolder: join(top, ".git") };
  return examineIndex(indexOf(paths), repository);
};

for (
  const bad of [
    ...["../victim", "a/../../victim", "..", "/etc/passwd", "a//b", "a/./b"],
    ...[".git/hooks/post-checkout", "sub/.GIT/config", ".git./x", ".git /x", "git~1/x"],
    ...["a\\.git\\x", ".git::$INDEX_ALLOCATION/x", ".g\u200cit/x"],
  ]
) {
  Deno.test(`examineIndex() refuses ${JSON.stringify(bad)}`, async () => {
    await assert.rejects(examine("/nowhere", "a.txt", bad), /the index of git has the name/);
  });
}

Deno.test("examineIndex() finds names of credentials, the shortest path of each", async () => {
  const names = [
    ...["a/.env", "a/.ENV.local", ".ssh/id", ".ssh/other", "keys/x.pem", "env", "a.pem.txt"],
  ];
  const { credentials, tracks } = await examine("/nowhere", ...names);
  assert.deepEqual(credentials, ["a/.env", "a/.ENV.local", ".ssh", "keys/x.pem"]);
  assert.equal(tracks("env"), true);
  assert.equal(tracks("en"), false);
});

unix.test("examineIndex() refuses a folder that is a link out of the working tree, and no other link", async () => {
  await using dir = await scratch();
  const top = await Deno.realPath(dir.path).then((path) => join(path, "top"));
  await Deno.mkdir(join(top, "real", ".ssh"), { recursive: true });
  await Deno.mkdir(join(top, "..", "out"));
  for (
    const [name, target] of [["in", "real"], ["out", "../out"], ["keys", "real/.ssh"]] as const
  ) {
    await Deno.symlink(target, join(top, name));
  }
  await examine(top, "in/a", "real/a", "gone/a");
  await assert.rejects(examine(top, "out/a"), /'out', and that is a link to/);
  await assert.rejects(examine(top, "keys/a"), /is a link/);
});

Deno.test("exclusionOf() takes special characters and bytes that are no UTF-8 as they are", () => {
  assert.equal(exclusionOf("a/[.env*"), ":(exclude,top,literal)a/[.env*");
  assert.equal(exclusionOf("a*/.env\ufffd"), ":(exclude,top,glob)a\\*/.env*");
});

Deno.test("privatePart() folds a name as file systems do", () => {
  for (
    const [path, part] of [["a/.Env. /x", "a/.Env. "], ["x.KEY:s", "x.KEY:s"], [
      "a.keys",
      undefined,
    ]]
  ) {
    assert.equal(privatePart(path!), part);
  }
});

Deno.test("examineIndex() takes names that look alike", async () => {
  const names = [
    ...[".gitignore", ".github/x", "a..b", "...", "git/x", "a.git/x", "git~12", "ü/.git-x"],
  ];
  const { credentials } = await examine("/nowhere", ...names);
  assert.deepEqual(credentials, []);
});
