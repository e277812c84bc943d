/** What a sandbox shows of the files, and the command line that makes it. What it holds: sandbox_attack_test.ts. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { run } from "../../src/exec/run.ts";
import { sandboxProblem } from "../../src/exec/sandbox_check.ts";
import { type Sandbox, viewOf } from "../../src/exec/sandbox_view.ts";
import { isClosed, SandboxError } from "../../src/exec/_found_paths.ts";
import { holdInPlace, protect } from "../../src/process/protected_paths.ts";
import { basicVariables, inheritVariables } from "../../src/exec/child_environment.ts";
import { markVariable } from "../../src/exec/processes.ts";
import { place, sandboxed } from "../_sandbox.ts";
import { withVariables } from "../_io.ts";
import { fixturePath } from "../_fixtures.ts";
import { isHere, outputOf, unix } from "../_requirements.ts";
import { deadlineMs } from "../_wait.ts";

function sandbox(more: Partial<Sandbox> = {}): Sandbox {
  return { write: [], read: ["/"], hide: [], network: "none", ...more };
}

/** The access to what lies in `folder`, by the path below it. */
function accessIn(folder: string, asked: Sandbox, cwd = folder): Record<string, string> {
  const below = viewOf(asked, cwd).seen.filter(({ path }) => path.startsWith(folder));
  return Object.fromEntries(below.map(({ path, access }) => [path.slice(folder.length), access]));
}

async function files(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await Deno.mkdir(join(folder, name, ".."), { recursive: true });
    await Deno.writeTextFile(join(folder, name), "text");
  }
}

unix.test("viewOf() has parents before what is in them", () => {
  const paths = viewOf(sandbox(), "/").seen.map(({ path }) => path);
  assert.equal(paths[0], "/");
  for (const [index, path] of paths.entries()) {
    assert.equal(
      paths.slice(index).some((later) => later !== path && path.startsWith(`${later}/`)),
      false,
    );
  }
});

unix.test("viewOf() protects a repository in what may be written", async () => {
  await using dir = await place();
  await files(dir.path, [".git/config", ".git/hooks/x", "in/a/.git/x", "in/.climax/x"]);
  assert.deepEqual(accessIn(dir.path, sandbox({ write: [dir.path] })), {
    "": "write",
    "/.git": "read",
  });
  // A call may start below
  const inside = accessIn(dir.path, sandbox({ write: [dir.path] }), join(dir.path, "in", "a"));
  assert.deepEqual(inside, {
    "": "write",
    "/.git": "read",
    "/in": "write",
    "/in/.climax": "read",
    "/in/a": "write",
    "/in/a/.git": "read",
  });
  // Also where other folders may be written
  await files(dir.path, ["side/x"]);
  const both = sandbox({ write: [dir.path, join(dir.path, "side")] });
  assert.deepEqual(accessIn(dir.path, both, join(dir.path, "in", "a")), {
    ...inside,
    "/side": "write",
  });
  assert.equal(viewOf(sandbox({ write: ["/"] }), dir.path).seen[0]!.access, "write");
});

unix.test("isClosed() takes a file that can be opened for open, and every folder", async () => {
  await using dir = await place();
  await files(dir.path, ["open", "closed"]);
  const isDirectory = false;
  assert.equal(isClosed({ path: join(dir.path, "open"), isDirectory }), false);
  assert.equal(isClosed({ path: join(dir.path, "none"), isDirectory }), false);
  assert.equal(isClosed({ path: join(dir.path, "none"), isDirectory: true }), false);
  const path = join(dir.path, "closed");
  await Deno.chmod(path, 0);
  // Nothing is closed to root, unless a container takes that right away
  assert.equal(isClosed({ path, isDirectory }), !await isHere("cat", [path]));
});

unix.test("viewOf() still protects hooks and configuration of a named .git", async () => {
  await using dir = await place();
  await files(dir.path, [".git/config", ".git/hooks/x"]);
  const git = join(dir.path, ".git");
  assert.deepEqual(accessIn(dir.path, sandbox({ write: [dir.path, git] })), {
    "": "write",
    "/.git": "write",
    "/.git/hooks": "read",
    "/.git/config": "read",
  });
  const all = sandbox({ write: [dir.path, git, join(git, "config")] });
  // No mount, so that it can be replaced
  assert.equal(accessIn(dir.path, all)["/.git/config"], undefined);
});

unix.test("viewOf() hides inside of what may be written, and shows inside of what is hidden", async () => {
  await using dir = await place();
  await files(dir.path, ["secrets/key", "secrets/public/x"]);
  const asked = sandbox({
    write: [dir.path],
    hide: [join(dir.path, "secrets"), join(dir.path, "absent")],
    read: ["/", join(dir.path, "secrets", "public")],
  });
  assert.deepEqual(accessIn(dir.path, asked), {
    "": "write",
    "/secrets": "hidden",
    "/secrets/public": "read",
  });
});

unix.test("viewOf() shows nothing more because a protected name is a link to it", async () => {
  await using dir = await place();
  await files(dir.path, ["hidden/key", "work/inside/x", "elsewhere/x"]);
  const work = join(dir.path, "work");
  for (const [name, target] of [[".vscode", "hidden"], [".idea", "elsewhere"]]) {
    await Deno.symlink(join(dir.path, target!), join(work, name!));
  }
  await Deno.symlink(join(work, "inside"), join(work, ".husky"));
  const asked = sandbox({ write: [work], hide: [join(dir.path, "hidden", "key")], read: [] });
  assert.deepEqual(accessIn(dir.path, asked, work), { "/work": "write", "/work/inside": "read" });
  const all = { ...asked, hide: [join(dir.path, "hidden")], read: ["/"] };
  assert.equal(accessIn(dir.path, all, work)["/hidden"], "hidden");
});

unix.test("viewOf() pins the folders on the way to what is hidden in what may be written", async () => {
  await using dir = await place();
  await files(dir.path, ["a/b/secrets/key", "a/c/read/x", "d/x"]);
  const asked = sandbox({
    write: [dir.path],
    hide: [join(dir.path, "a", "b", "secrets")],
    read: ["/", join(dir.path, "a", "c", "read")],
  });
  assert.deepEqual(accessIn(dir.path, asked), {
    "": "write",
    "/a": "write",
    "/a/b": "write",
    "/a/b/secrets": "hidden",
    "/a/c": "write",
    "/a/c/read": "read",
  });
});

unix.test("viewOf() keeps in their places what other sandboxes may write", async () => {
  await using dir = await place();
  await files(dir.path, ["a/out/x", "file", "elsewhere"]);
  const asked = sandbox({ write: [dir.path] });
  const out = join(dir.path, "a", "out");
  holdInPlace(sandbox({ write: [out, join(dir.path, "file"), join(dir.path, "absent")] }));
  assert.deepEqual(accessIn(dir.path, asked), {
    "": "write",
    "/file": "write",
    "/a": "write",
    "/a/out": "write",
  });
  // What it may not write needs no place
  assert.deepEqual(accessIn(dir.path, sandbox()), {});
});

unix.test("viewOf() hides keys of the home folder, and what a variable names", async () => {
  await using dir = await place();
  await files(dir.path, ["home/.ssh/id", "home/work/x", "socket"]);
  const [home, socket] = [join(dir.path, "home"), join(dir.path, "socket")];
  using _ = withVariables({ HOME: home, SSH_AUTH_SOCK: socket });
  for (const write of [[], [dir.path]]) {
    const { "": _all, ...seen } = accessIn(dir.path, sandbox({ write }), join(home, "work"));
    assert.deepEqual(seen["/home/.ssh"], "hidden");
    assert.deepEqual(seen["/socket"], "hidden");
  }
  for (const form of [`unix://${socket}`, `unix:path=${socket},guid=0`, `${socket},1,0`]) {
    using _other = withVariables({ SSH_AUTH_SOCK: form });
    assert.deepEqual(accessIn(dir.path, sandbox(), home)["/socket"], "hidden", form);
  }
  for (const form of ["", "/", "unix://", "unix:///", `tcp:${socket}`, `unix:abstract=${socket}`]) {
    using _other = withVariables({ SSH_AUTH_SOCK: form });
    assert.equal(accessIn(dir.path, sandbox(), home)["/socket"], undefined, form);
    assert.equal(viewOf(sandbox(), home).seen[0]!.access, "read", form);
  }
});

unix.test("viewOf() has the protected names that a program could create, and what their links lead to", async () => {
  await using dir = await place();
  await files(dir.path, [".git/x", "own/x", "a/b/x"]);
  await Deno.symlink("own", join(dir.path, ".claude"));
  const opened = (more: Partial<Sandbox>, cwd = dir.path) => {
    const { open } = viewOf(sandbox({ write: [dir.path], ...more }), cwd);
    const found = open.map(({ path, ...rest }) => [path.slice(dir.path.length), rest]);
    return Object.fromEntries(found);
  };
  const first = opened({});
  assert.deepEqual([first["/.git"], first["/own"]], [undefined, undefined]);
  assert.deepEqual(first["/.claude"], { link: "own", isPinned: true });
  assert.deepEqual(first["/.vscode"], { isPinned: true });
  assert.equal(opened({ creates: [join(dir.path, ".vscode")] })["/.vscode"], undefined);
  // A folder that a program can move with what is in it is not pinned
  const [a, b] = [join(dir.path, "a"), join(dir.path, "a", "b")];
  assert.deepEqual(opened({}, b)["/a/b/.git"], { isPinned: false });
  assert.deepEqual(opened({ write: [dir.path, b] })["/a/b/.git"], { isPinned: false });
  assert.deepEqual(opened({ write: [dir.path, a, b] })["/a/b/.git"], { isPinned: true });
});

unix.test("viewOf() of less than everything has the system, and refuses to start elsewhere", async () => {
  await using dir = await place();
  await files(dir.path, ["seen/x", "unseen/x"]);
  const asked = sandbox({ read: [join(dir.path, "seen")] });
  const { seen } = viewOf(asked, join(dir.path, "seen"));
  assert.deepEqual(seen[0], { path: "/", access: "hidden", isDirectory: true });
  assert.equal(seen.find(({ path }) => path === "/usr")?.access, "read");
  for (const { isDirectory, link } of seen) assert.equal(isDirectory || link === undefined, true);
  // What leads to what is seen can be entered
  assert.equal(viewOf(asked, dir.path).seen.length, seen.length);
  assert.throws(() => viewOf(asked, join(dir.path, "unseen")), /unseen' is hidden in the sandbox/);
  const write = sandbox({ read: [], write: [join(dir.path, "seen")] });
  assert.equal(viewOf(write, join(dir.path, "seen")).seen.at(-1)!.access, "write");
});

unix.test("viewOf() hides keys, and keeps what decides", async () => {
  await using dir = await place();
  await files(dir.path, ["keys", "policy.yaml"]);
  protect(join(dir.path, "keys"), "hidden");
  protect(join(dir.path, "policy.yaml"));
  protect(join(dir.path, "none", "yet.yaml"));
  assert.deepEqual(accessIn(dir.path, sandbox()), { "/keys": "hidden" });
  const kept = { "": "write", "/keys": "hidden", "/policy.yaml": "read" };
  assert.deepEqual(accessIn(dir.path, sandbox({ write: [dir.path] })), kept);
});

unix.test("viewOf() keeps every hidden name of a home folder in `write`, unless it is named there", async () => {
  await using dir = await place();
  await files(dir.path, [
    ...[".bash_aliases", ".gitconfig", ".cache/uv/x", ".npm/x", ".nvm/nvm.sh", "notes", "p/.vimrc"],
  ]);
  using _ = withVariables({ HOME: dir.path });
  const access = (...names: string[]) => {
    const write = names.map((name) => join(dir.path, name).replace(/\/$/, ""));
    const { seen, open } = viewOf(sandbox({ write }), join(dir.path, "p"));
    const rules = seen.filter(({ path }) => path.startsWith(dir.path)).map(({ path, access }) => {
      return `${access} ${path.slice(dir.path.length + 1)}`;
    });
    return { rules, known: open.find(({ known }) => known)?.known };
  };
  const all = access("", ".npm", ".cache/uv");
  for (
    const rule of [
      "hidden .gitconfig",
      "read .bash_aliases",
      "read .cache",
      "write .cache/uv",
      "read .nvm",
    ]
  ) {
    assert.ok(all.rules.includes(rule), rule);
  }
  assert.equal(all.rules.some((rule) => /read [.]npm|notes|vimrc/.test(rule)), false);
  assert.deepEqual([...all.known!].toSorted(), [
    ".bash_aliases",
    ".cache",
    ".gitconfig",
    ".npm",
    ".nvm",
  ]);
  const project = access("p");
  assert.deepEqual(project.rules.toSorted(), [
    "hidden .bash_aliases",
    "hidden .gitconfig",
    "write p",
  ]);
  assert.equal(project.known, undefined);
});

unix.test("viewOf() needs no look at what decides where no program may write", async () => {
  await using dir = await place();
  const path = join(dir.path, "closed.yaml");
  protect(path);
  const { realPathSync } = Deno;
  using _ = {
    [Symbol.dispose]: () => Object.assign(Deno, { realPathSync }),
  };
  Object.assign(Deno, {
    realPathSync(asked: string) {
      if (asked === path) throw new Deno.errors.NotCapable("denied");
      return realPathSync(asked);
    },
  });
  assert.deepEqual(accessIn(dir.path, sandbox()), {});
  assert.throws(
    () => viewOf(sandbox({ write: [dir.path] }), "/"),
    /may not look at '.*closed.yaml/,
  );
});

unix.test("viewOf() refuses a link on the way to what decides", async () => {
  await using dir = await place();
  await files(dir.path, ["real/in/policy.yaml"]);
  await Deno.symlink(join(dir.path, "real"), join(dir.path, "link"));
  protect(join(dir.path, "link", "in", "policy.yaml"));
  const asked = sandbox({ write: [dir.path] });
  assert.throws(() => viewOf(asked, "/"), /policy.yaml', and '.*\/link' is a link where programs/);
  assert.deepEqual(accessIn(dir.path, sandbox()), {});
});

unix.test("viewOf() refuses a path that is gone, or became a link", async () => {
  await using dir = await place();
  const out = join(dir.path, "out");
  assert.throws(() => viewOf(sandbox({ write: [out] }), "/"), SandboxError);
  await Deno.symlink("/etc", out);
  assert.throws(() => viewOf(sandbox({ write: [out] }), "/"), /leads to '\/etc' since the start/);
});

const basic = ["PATH", "HOME"];
const inheritRows: readonly (readonly [
  env: readonly string[] | undefined,
  configured: readonly string[] | undefined,
  has: readonly string[],
  hasNot: readonly string[],
])[] = [
  [undefined, undefined, basic, ["TOKEN"]],
  [["TOKEN"], undefined, [...basic, "TOKEN"], ["OTHER"]],
  [undefined, ["TOKEN"], ["TOKEN"], ["PATH"]],
  [["OTHER"], ["PATH", "TOKEN", "OTHER"], ["PATH", "OTHER"], ["TOKEN", "HOME"]],
];

for (const [env, configured, has, hasNot] of inheritRows) {
  Deno.test(`inheritVariables() with ${env ?? "no list"} of the sandbox and ${configured ?? "none"} of the config`, () => {
    const names = inheritVariables(env === undefined ? {} : { env }, configured);
    assert.deepEqual(has.filter((name) => !names.includes(name)), []);
    assert.deepEqual(hasNot.filter((name) => names.includes(name)), []);
  });
}

/** Runs a shell in a sandbox. */
async function shell(
  script: string,
  asked: Sandbox,
  cwd: string,
  env: Record<string, string> = {},
) {
  const argv = ["/bin/sh", "-c", script] as const;
  const { ending, stdout, stderr } = await run({
    argv,
    cwd,
    env,
    timeoutMs: deadlineMs(),
    sandbox: asked,
  });
  return { ending, stdout: stdout.text.trim(), stderr: stderr.text.trim() };
}

sandboxed.test("a sandbox keeps paths as they are, with spaces and line feeds in them", async () => {
  await using dir = await place();
  const folder = join(dir.path, "a b\n-- 'c'");
  await Deno.mkdir(folder);
  // What is held may be where others wrote a repository
  await files(folder, [".git/config"]);
  holdInPlace(sandbox({ write: [folder] }));
  const said = await shell("pwd; echo x > new; cat new", sandbox({ write: [folder] }), folder);
  assert.deepEqual(said, {
    ending: { kind: "exited", code: 0 },
    stdout: `${folder}\nx`,
    stderr: "",
  });
});

sandboxed.test("a sandbox that reads less than everything has the system and what is named", async () => {
  await using dir = await place();
  await files(dir.path, ["seen/x", "unseen/x"]);
  const seen = join(dir.path, "seen");
  const asked = sandbox({ read: [seen] });
  const { stdout } = await shell(
    `ls ${dir.path}; cat ${seen}/x; touch ${dir.path}/y || echo no`,
    asked,
    seen,
  );
  assert.equal(stdout, "seen\ntextno");
});

sandboxed.test("a sandbox passes on input and exit code, and says which working directory it has not", async () => {
  await using dir = await place();
  const asked = sandbox({ write: [dir.path] });
  const argv = ["/bin/sh", "-c", "cat; exit 7"] as const;
  const options = { env: {}, stdin: "in", timeoutMs: deadlineMs(), sandbox: asked };
  const said = await run({ argv, cwd: dir.path, ...options });
  assert.deepEqual([said.ending, said.stdout.text], [{ kind: "exited", code: 7 }, "in"]);
  const other = await Deno.makeTempDir({ dir: "/tmp", prefix: "climax-test-" });
  const { ending: hidden } = await shell("true", asked, other);
  await Deno.remove(other);
  assert.match("detail" in hidden ? hidden.detail : "", /working directory '.*' is hidden in the/);
  const gone = await shell("true", asked, join(dir.path, "gone"));
  assert.equal("failure" in gone.ending && gone.ending.failure, "working directory not found");
  await Deno.remove(dir.path, { recursive: true });
  const { ending } = await shell("true", asked, "/");
  assert.equal("failure" in ending && ending.failure, "no sandbox");
});

sandboxed.test("a sandbox is refused if programs in it may write what makes it", async () => {
  const { ending } = await shell("true", sandbox({ write: ["/usr/bin"] }), "/");
  assert.match("detail" in ending ? ending.detail : "", /lies where programs in it may write/);
});

sandboxed.test("variables that lead the loader to files are set in the sandbox only", async () => {
  await using dir = await place();
  const env = { BASH_ENV: join(dir.path, "start"), ENV: join(dir.path, "start"), LD_X: "1" };
  await Deno.writeTextFile(env.ENV, `touch ${dir.path}/ran`);
  const { stdout } = await shell("echo $LD_X; env", sandbox(), dir.path, env);
  assert.match(stdout, /^1\n/);
  // Of those of this process it has no more than the basic ones
  const names = [...stdout.matchAll(/^(\w+)=/gm)].map(([, name]) => name!);
  const own = [...Object.keys(env), ...basicVariables, markVariable, "PWD", "OLDPWD", "SHLVL", "_"];
  assert.deepEqual(names.filter((name) => Deno.env.has(name) && !own.includes(name)), []);
  assert.equal(await isHere("test", ["-e", join(dir.path, "ran")]), false);
});

sandboxed.test("sandboxProblem() finds none where sandboxes can be made", async () => {
  assert.equal(await sandboxProblem([sandbox(), sandbox({ network: "host" })]), undefined);
  assert.equal(await sandboxProblem([]), undefined);
});

sandboxed.test("sandboxProblem() says what this process may not look at", async () => {
  const rights = ["--no-prompt", "--allow-env", "--allow-run=sh,bwrap"];
  const program = ["run", "--no-check", ...rights, fixturePath("exec", "few_rights.ts")];
  const output = await outputOf(Deno.execPath(), program);
  const why = "this server may not look at '/tmp', which takes --allow-read=/tmp";
  const said = new TextDecoder().decode(output!.stdout);
  assert.equal(said, `A sandbox cannot be made: ${why}\n`);
});
