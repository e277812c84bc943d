/**
 * PATH that leads into what an agent may write, as `npx`, `uv run`, virtual environments and direnv make it: nothing
 * that lies there is started, by climax or by what it starts. Programs outside are, beside each attack.
 */

import assert from "node:assert/strict";
import { delimiter, join } from "node:path";
import { personalPlaces, projectPlaces } from "../../../src/exec/search_path.ts";
import { whyNot } from "../../configs/_programs.ts";
import { testsUnless, unix } from "../../_requirements.ts";
import { place, sandboxed } from "../../_sandbox.ts";
import { climaxProcess } from "../../cli/commands/_climax.ts";
import { connect, textsOf } from "../../e2e/_clients.ts";
import { commit, git, held, newFile } from "../../e2e/_git_agent.ts";
import { type Scratch, scratch, writeFiles } from "../../e2e/_scratch.ts";

const here = testsUnless(Deno.build.os === "windows" || await whyNot("git") !== undefined);

/** A server in `repo` whose PATH begins with `folders`; programs leave their path in `trace`. */
async function withPath(
  place: Scratch,
  folders: readonly string[],
  use: (call: (tool: string, args?: Record<string, unknown>) => Promise<string>) => Promise<void>,
  words: readonly string[] = ["git"],
): Promise<void> {
  const env = {
    HOME: join(place.path, "home"),
    PATH: [...folders, Deno.env.get("PATH")].join(delimiter),
  };
  await using client = await connect([...words], { cwd: join(place.path, "repo"), env });
  await use(textsOf(client));
}

async function ground(): Promise<Scratch> {
  const place = await scratch();
  for (const name of ["repo", "outside", "home"]) await Deno.mkdir(join(place.path, name));
  await git(join(place.path, "repo"), "init", "--quiet", "--initial-branch=main");
  await git(join(place.path, "repo"), "commit", "--quiet", "--allow-empty", "--message=x");
  return place;
}

/** A program that notes that it ran. */
async function plant(place: Scratch, path: string): Promise<void> {
  const file = join(place.path, path);
  await Deno.mkdir(join(file, ".."), { recursive: true });
  await Deno.writeTextFile(file, noting(place, path), { mode: 0o755 });
}

function noting(place: Scratch, path: string): string {
  return `#!/bin/sh\necho ${path} >> ${join(place.path, "trace")}`;
}

/** Returns the names of the programs that ran, each once. */
async function ran({ path }: Scratch): Promise<string[]> {
  const text = await Deno.readTextFile(join(path, "trace")).catch(() => "");
  return [...new Set(text.split("\n").filter((line) => line !== ""))];
}

/** A folder of the project that stands first in PATH; relative ones to the server's directory. */
const folders: readonly (readonly [folder: string, inPath?: string])[] = [
  ["repo/node_modules/.bin"],
  ["repo/bin", "./bin"],
  ["repo/tools", "link"],
];

for (const [folder, inPath = folder] of folders) {
  here.test(`a hostile repository brings no git: ${folder} in PATH as ${inPath}`, async () => {
    await using place = await ground();
    await plant(place, `${folder}/git`);
    await plant(place, "outside/git");
    if (inPath === "link") await Deno.symlink(join(place.path, folder), join(place.path, "link"));
    const isRelative = /^\.?\/?bin$/.test(inPath);
    const first = isRelative ? inPath : join(place.path, inPath);
    await withPath(place, [first], async (call) => {
      assert.match(await call("git_status"), /On branch main/);
    });
    assert.deepEqual(await ran(place), []);
    await withPath(place, [first, join(place.path, "outside")], async (call) => {
      await call("git_status");
    });
    assert.deepEqual(await ran(place), ["outside/git"]);
  });
}

for (const folder of ["node_modules/.bin", "scripts"]) {
  here.test(`an agent puts no ssh in front of git's: ${folder} in PATH`, async () => {
    await using place = await ground();
    const first = [join(place.path, "repo", folder), join(place.path, "home", "bin")];
    const patch = newFile(`${folder}/ssh`, noting(place, "ssh of the agent"));
    await withPath(place, first, async (call) => {
      const applied = await call("git_apply", { patch });
      // It is out of PATH in any case; where programs usually lie, it is not even written
      assert.equal(/^Applied patch/m.test(applied), folder === "scripts", applied);
      await plant(place, `repo/${folder}/ssh`);
      await plant(place, "home/bin/ssh");
      await call("git_fetch", { remote: "ssh://127.0.0.1/x.git" });
    });
    assert.deepEqual(await ran(place), ["home/bin/ssh"]);
  });
}

here.test("tools that write leave the folders of programs alone, however these are spelled", async () => {
  await using place = await ground();
  const repo = join(place.path, "repo");
  await commit(repo, { tool: "tool\n" }, "tool");
  const places = [...projectPlaces, ...personalPlaces].map((name) => `${name}/bin/ssh`);
  const written = [
    ...places.filter((path) => !path.startsWith("node_modules")),
    ...["node_modules/.bin/ssh", "a/node_modules/.bin/ssh", "NODE_MODULES/.BIN/ssh"],
    ...[".Venv/Bin/ssh", "./.venv/bin/ssh", "a//venv/bin/ssh", ".pyenv/shims/ssh"],
    ...[".nvm/versions/node/v22/bin/ssh", ".venv/Scripts/ssh.exe", '"\\056venv/bin/ssh"'],
  ];
  await withPath(place, [], async (call) => {
    for (const path of written) {
      const shown = await call("git_apply", { patch: patchOf(path) });
      assert.doesNotMatch(shown, /^Applied patch/m, path);
      const renamed = await call("git_apply", {
        patch: `diff --git a/tool b/${path}\nsimilarity index 100%\nrename from tool\n` +
          `rename to ${path}\n`,
      });
      assert.doesNotMatch(renamed, /^Applied patch/m, path);
      if (path.startsWith('"')) continue;
      assert.match(await call("git_mv", { source: "tool", destination: path }), held, path);
      assert.match(await call("git_init", { path: join(path, "..") }), held, path);
    }
    assert.match(await git(repo, "status", "--short"), /^$/);
    // Names that resemble launchers and are none
    for (const path of ["src/bin/ssh", "node_modules.md", ".github/bin.yml", "venvs/x"]) {
      assert.match(await call("git_apply", { patch: newFile(path, "x") }), /^Applied patch/m, path);
    }
    assert.doesNotMatch(await call("git_mv", { source: "tool", destination: "bin" }), held);
  });
});

/** A patch that makes a program at a path as it stands in patches. */
function patchOf(path: string): string {
  const [a, b] = path.startsWith('"')
    ? [path.replace('"', '"a/'), path.replace('"', '"b/')]
    : [`a/${path}`, `b/${path}`];
  return `diff --git ${a} ${b}\nnew file mode 100755\n--- /dev/null\n+++ ${b}\n` +
    "@@ -0,0 +1 @@\n+#!/bin/sh\n";
}

const config = (more: string) =>
  `name: own
command: helper
tools:
  - name: own_run
    description: Run it
    command: ""
    args: [{name: directory, description: D, type: string, cwd: true${more}}]
`;

unix.test("a folder that `directory` may be brings no program", async () => {
  await using place = await ground();
  await plant(place, "others/bin/helper");
  await plant(place, "outside/helper");
  const [others, outside] = [join(place.path, "others"), join(place.path, "outside")];
  const path = [join(others, "bin"), outside];
  for (
    const [more, expected] of [
      [`, within: ${others}`, ["outside/helper"]],
      [", within: ../others", ["outside/helper"]],
      ["", ["outside/helper", "others/bin/helper"]],
    ] as const
  ) {
    await Deno.writeTextFile(join(place.path, "own.yaml"), config(more));
    await withPath(place, path, async (call) => {
      await call("own_run");
    }, [join(place.path, "own.yaml")]);
    assert.deepEqual(await ran(place), expected, more);
  }
});

unix.test("a server file names a program by its path, or one outside of the project", async () => {
  await using place = await ground();
  for (const path of ["repo/node_modules/.bin/helper", "outside/helper"]) await plant(place, path);
  const first = [join(place.path, "repo/node_modules/.bin"), join(place.path, "outside")];
  await Deno.writeTextFile(join(place.path, "own.yaml"), config(""));
  const file = join(place.path, "servers.json");
  for (
    const [command, expected] of [
      ["helper", ["outside/helper"]],
      ["./node_modules/.bin/helper", ["outside/helper", "repo/node_modules/.bin/helper"]],
    ] as const
  ) {
    await Deno.writeTextFile(file, JSON.stringify({ mcpServers: { one: { command } } }));
    await withPath(place, first, async (call) => {
      await call("one__nothing");
    }, [join(place.path, "own.yaml"), "--mcp", file]);
    assert.deepEqual(await ran(place), expected);
  }
});

here.test("where the home folder is served, programs in it are not used, and PATH says so", async () => {
  await using place = await ground();
  const folders = ["bin", ".local/bin", ".nvm/versions/node/v22/bin"];
  for (const folder of folders) {
    for (const name of ["git", "sh", "ps", "kill", "bwrap", "perl", "cat", "ls"]) {
      await plant(place, `repo/${folder}/${name}`);
    }
  }
  const home = join(place.path, "repo");
  const left = folders.map((folder) => join(home, folder));
  const options = {
    cwd: home,
    env: {
      HOME: home,
      PATH: [...left, "/usr/bin", "/bin"].join(":"),
      CLIMAX_LOG_FILE: join(place.path, "log"),
    },
  };
  for (const words of [["git"], ...sandboxed.ignore ? [] : [["git", "--sandbox"]]]) {
    await using client = await connect(words, options);
    const said = await client.call("climax_call", { tool_name: "git_status", args: {} });
    assert.match(said.text, /On branch main/);
  }
  for (
    const words of [["approve", "--list"], ["doctor"], ["list"]]
  ) {
    await climaxProcess(words, options);
  }
  assert.deepEqual(await ran(place), []);
  const log = await Deno.readTextFile(options.env.CLIMAX_LOG_FILE);
  const names = left.map((folder) => `'${folder}'`).join(", ");
  assert.ok(log.includes(`PATH: left out ${names}, where an agent may write`), log);
});

sandboxed.test("a held program changes no folder of PATH in the home folder that is served", async () => {
  await using dir = await place();
  const home = dir.path;
  await writeFiles(home, {
    "shell.yaml": "name: shell\ncommand: /bin/sh\ntools:\n  - name: shell_run\n" +
      '    argv: ["-c", "{script}"]\n    args: [{name: script, required: true, text: any}]\n',
    "bin/tool": "mine",
    ".local/bin/tool": "mine",
    "work/tool": "mine",
  });
  const PATH = [join(home, "bin"), join(home, ".local/bin"), "/usr/bin", "/bin"].join(":");
  const env = { HOME: home, PATH };
  await using client = await connect(["./shell.yaml", "--sandbox"], { cwd: home, env });
  const script =
    "for f in bin .local/bin work; do echo evil >$f/tool; echo evil >$f/git; done; true";
  await client.call("climax_call", { tool_name: "shell_run", args: { script } });
  for (const folder of ["bin", ".local/bin"]) {
    assert.equal(await Deno.readTextFile(join(home, folder, "tool")), "mine");
    await assert.rejects(Deno.lstat(join(home, folder, "git")), Deno.errors.NotFound);
  }
  assert.equal(await Deno.readTextFile(join(home, "work/tool")), "evil\n");
});

sandboxed.test("a folder that a sandbox may write brings no program", async () => {
  await using place = await ground();
  await plant(place, "others/bin/helper");
  await plant(place, "outside/helper");
  const path = [join(place.path, "others/bin"), join(place.path, "outside")];
  const policy = join(place.path, "policy.yaml");
  await Deno.writeTextFile(join(place.path, "own.yaml"), config(""));
  const other = "name: other\ncommand: /bin/true\ntools: [{name: other_run, effect: write}]\n";
  await Deno.writeTextFile(join(place.path, "other.yaml"), other);
  const configs = ["own", "other"].map((name) => join(place.path, `${name}.yaml`));
  for (const [write, expected] of [["others", "outside/helper"], ["home", "others/bin/helper"]]) {
    await Deno.remove(join(place.path, "trace")).catch(() => {});
    await Deno.writeTextFile(
      policy,
      `default: enabled\ntools: { other_run: { sandbox: { write: ["${place.path}/${write}"] } } }\n`,
    );
    await withPath(place, path, async (call) => {
      await call("own_run");
    }, [...configs, "--policy", policy]);
    assert.deepEqual(await ran(place), [expected]);
  }
});
