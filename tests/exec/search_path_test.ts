/** Which folders of PATH are searched and given to programs: none in which an agent may write. */

import assert from "node:assert/strict";
import { delimiter, join } from "node:path";
import { findProgram } from "../../src/exec/find_program.ts";
import { environmentOf } from "../../src/exec/child_environment.ts";
import { guardSearchPath, leaveOut, safePath, searchFolders } from "../../src/exec/search_path.ts";
import { io } from "../../src/io.ts";
import { scratch, writeProgram } from "../e2e/_scratch.ts";
import { withDirectory, withVariables } from "../_io.ts";
import { unix } from "../_requirements.ts";

const windows = Deno.build.os === "windows";

/** Home is `/h/me`. */
const rows: readonly (readonly [served: string, folder: string, isKept: boolean])[] = [
  ["/h/me/p", "/usr/bin", true],
  ["/h/me/p", "/h/me/bin", true],
  ["/h/me/p", "/h/me/.local/bin", true],
  ["/h/me/p", "/h/me/pp/bin", true],
  ["/h/me/p", "/h/me/p", false],
  ["/h/me/p", "/h/me/p/", false],
  ["/h/me/p", "/h/me/p/.venv/bin", false],
  ["/h/me/p", "/h/me/q/../p/bin", false],
  ["/h/me/p", "/h/me/p/node_modules/.bin", false],
  ["/h/me/p", "", false],
  ["/h/me/p", ".", false],
  ["/h/me/p", "bin", false],
  ["/h/me/p", "../../../usr/bin", false],
  // Quotes are part of a name
  ["/h/me/p", '"/usr/x"', false],
  // Above: what npx adds for each folder, and what a workspace has
  ["/h/me/p/a/b", "/h/me/p/node_modules/.bin", false],
  ["/h/me/p/a/b", "/h/me/node_modules/.bin", false],
  ["/h/me/p/a/b", "/node_modules/.bin", false],
  ["/h/me/p/a/b", "/h/me/p/.venv/bin", false],
  ["/h/me/p/a/b", "/h/me/p/bin", true],
  ["/h/me/p/a/b", "/h/me/.venv/bin", true],
  ["/h/me/p", "/h/me/.npm/_npx/0a/node_modules/.bin", true],
  ["/h/me/p", "/usr/lib/node_modules/npm/bin", true],
  ["/opt/app", "/opt/venv/bin", true],
  ["/opt/app", "/opt/app/venv/bin", false],
  // The home folder or one that holds it is served
  ["/h/me", "/h/me/.local/bin", false],
  ["/h/me", "/h/me/.nvm/versions/node/v22/bin", false],
  ["/h", "/h/me/.cargo/bin", false],
  ["/h", "/h/.linuxbrew/bin", false],
  ["/h/me", "/h/me/bin", false],
  ["/h/me", "/h/me/p/.venv/bin", false],
  ["/h/me", "/h/me/.venv/bin", false],
  ["/h/me", "/h/me/node_modules/.bin", false],
  ["/h/me", "/usr/bin", true],
  ["/h/you", "/h/me/bin", true],
  ["/", "/usr/bin", true],
  ["/", "/h/me/.local/bin", false],
  ["/", "/h/me/p/bin", false],
  ["/", "/node_modules/.bin", false],
];

unix.test("safePath() leaves out what lies in reach of an agent, and nothing else", () => {
  using _variables = withVariables({ HOME: "/h/me" });
  for (const [served, folder, isKept] of rows) {
    using _directory = withDirectory(served);
    guardSearchPath();
    const kept = isKept ? `/usr/sbin:${folder}:/bin` : "/usr/sbin:/bin";
    assert.equal(safePath(`/usr/sbin:${folder}:/bin`), kept, `${served}: '${folder}'`);
  }
});

unix.test("leaveOut() takes what an agent may write out of variables with libraries and options", () => {
  const variables = {
    HOME: "/h/me",
    PYTHONPATH: "/h/me/p/src:/opt/lib:src",
    NODE_PATH: "/h/me/lib",
    NODE_OPTIONS: "--max-old-space-size=4096 --require ./hook.js",
    GIT_SSH_COMMAND: "ssh -i /h/me/.ssh/key -o A=b",
    RUBYOPT: "-I/h/me/p",
    LD_PRELOAD: "libjemalloc.so.2",
  };
  using _variables = withVariables(variables);
  using _directory = withDirectory("/h/me/p");
  guardSearchPath();
  const left = Object.keys(variables).map((name) => [name, io().env.get(name)]);
  const expected = { ...variables, PYTHONPATH: "/opt/lib", NODE_OPTIONS: "", RUBYOPT: "" };
  assert.deepEqual(Object.fromEntries(left), expected);
});

unix.test("safePath() without a folder searches nowhere, and not the working directory", async () => {
  await using dir = await scratch();
  writeProgram(join(dir.path, "ls"), "#!/bin/sh\necho theirs\n");
  using _directory = withDirectory(dir.path);
  assert.equal(safePath(dir.path), "/dev/null");
  const { stdout, code } = await new Deno.Command("/bin/sh", {
    args: ["-c", "ls"],
    cwd: dir.path,
    env: { PATH: safePath(dir.path) },
  }).output();
  assert.equal(new TextDecoder().decode(stdout), "");
  assert.equal(code, 127);
});

unix.test("searchFolders() follows each link, in both directions", async () => {
  await using dir = await scratch();
  const [served, outside] = [join(dir.path, "served"), join(dir.path, "outside")];
  for (const folder of [served, outside]) {
    await Deno.mkdir(join(folder, "bin"), { recursive: true });
  }
  await Deno.symlink(join(served, "bin"), join(outside, "in"));
  await Deno.symlink("../outside/bin", join(served, "out"));
  await Deno.symlink(join(served, "out"), join(outside, "through"));
  await Deno.symlink(join(outside, "bin"), join(outside, "stays"));
  await Deno.symlink(served, join(dir.path, "other-name"));
  // The last of as many links as a path may have lies in the folder that is served
  let end = join(outside, "bin");
  for (let at = 0; at < 40; at++) {
    const link = join(at === 0 ? served : outside, `l${at}`);
    await Deno.symlink(end, link);
    end = link;
  }
  const folders = ["in", "through", "stays", "bin"].map((name) => join(outside, name));
  const path = [end, ...folders, join(served, "out"), join(dir.path, "other-name", "new")];
  for (const cwd of [served, join(dir.path, "other-name")]) {
    using _directory = withDirectory(cwd);
    guardSearchPath();
    const kept = [join(outside, "stays"), join(outside, "bin")];
    assert.deepEqual(searchFolders(path.join(delimiter)), kept);
  }
  // Work in another directory than the one the guard began in, named by a link
  {
    using _directory = withDirectory(outside);
    guardSearchPath();
  }
  using _directory = withDirectory(join(dir.path, "other-name"));
  assert.deepEqual(searchFolders(join(served, "bin")), []);
});

unix.test("guardSearchPath() takes no PATH, and one that it may not set", async () => {
  await using dir = await scratch();
  using _directory = withDirectory(dir.path);
  const failures = [new Deno.errors.NotCapable("denied"), new TypeError("broken")];
  const variables = [undefined, ...failures].map((failure) => () => {
    using _variables = withVariables({ PATH: failure && `${dir.path}:/bin` });
    io().env.set = () => {
      throw failure;
    };
    guardSearchPath();
  });
  const [none, denied, broken] = variables as [() => void, () => void, () => void];
  none();
  denied();
  assert.throws(broken, TypeError);
});

unix.test("safePath() knows a home folder behind a link for what it is", async () => {
  await using dir = await scratch({ "real/me/file": "", "real/project/file": "" });
  await Deno.symlink(join(dir.path, "real", "me"), join(dir.path, "link"));
  using _variables = withVariables({ HOME: join(dir.path, "link") });
  using _directory = withDirectory(join(dir.path, "real", "project"));
  guardSearchPath();
  const folder = join(dir.path, "real", ".venv", "bin");
  assert.equal(safePath(folder), folder);
});

unix.test("leaveOut() changes PATH of the run, from which later folders are taken, too", async () => {
  await using dir = await scratch();
  const [served, other, tools] = ["served", "other", "tools"].map((name) => join(dir.path, name));
  for (const folder of [served!, other!, tools!]) {
    await Deno.mkdir(folder);
    writeProgram(join(folder, "tool"), "#!/bin/sh\n");
  }
  using _directory = withDirectory(served!);
  using _variables = withVariables({ PATH: [served, other, tools].join(":") });
  guardSearchPath();
  assert.equal(io().env.get("PATH"), `${other}:${tools}`);
  assert.equal(findProgram("tool", { env: {} }), join(other!, "tool"));
  leaveOut(["../other"]);
  assert.equal(io().env.get("PATH"), tools);
  assert.equal(findProgram("tool", { env: {} }), join(tools!, "tool"));
  // Also where a config names PATH, and for what its programs find
  const PATH = `${other}:${tools}`;
  assert.equal(findProgram("tool", { env: { PATH } }), join(tools!, "tool"));
  assert.equal(environmentOf({ PATH }, undefined).env?.["PATH"], tools);
  assert.equal(environmentOf({ PATH }, []).env?.["PATH"], tools);
  assert.equal(environmentOf({}, ["PATH"]).env?.["PATH"], tools);
  // A path is what a person chose
  assert.equal(findProgram(join(served!, "tool"), { env: {} }), join(served!, "tool"));
});

Deno.test(
  "programs of Windows do not look in their working directory",
  { ignore: !windows },
  () => {
    assert.equal(environmentOf({}, [])?.env?.["NoDefaultCurrentDirectoryInExePath"], "1");
  },
);
