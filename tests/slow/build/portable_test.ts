/** The portable form: one file, or a folder, that runs from anywhere with the permissions of its first line. */

import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { filesIn, folderBeside } from "../../../build/_portable_folder.ts";
import { smoke } from "../../../build/smoke.ts";
import { RawServer } from "../../e2e/_raw.ts";
import { type Scratch, scratch } from "../../e2e/_scratch.ts";
import { climax, givenBundle, root } from "../../e2e/_server.ts";
import { buildPortable, manifest, permissionsOf, run } from "../../build/_build.ts";
import { unix } from "../../_requirements.ts";

const ignore = Deno.build.os === "windows";

let dir: Scratch;
let portable: string;
if (!ignore) {
  Deno.test.beforeAll(async () => {
    dir = await scratch();
    portable = await buildPortable(dir.path);
  });
  Deno.test.afterAll(async () => await dir[Symbol.asyncDispose]());
}

unix.test("the portable form starts Deno with the permissions of its task", async () => {
  const text = await Deno.readTextFile(portable);
  const permissions = permissionsOf("portable");
  const command = [
    "deno",
    "run",
    "--no-config",
    "--no-prompt",
    "--no-remote",
    "--no-npm",
    "--v8-flags=--min-semi-space-size=16,--invocation-count-for-maglev=200,--minimum-invocations-after-ic-update=200",
    ...permissions,
  ]
    .join(" ");
  assert.equal(text.split("\n")[0], `#!/usr/bin/env -S ${command}`);
  const allowed = ["read", "write", "env", "run", "net"];
  assert.deepEqual(permissions, allowed.map((name) => `--allow-${name}`));
});

unix.test("a start of the portable form loads none of what was put off", async () => {
  await using elsewhere = await scratch();
  // One of them, node:crypto, takes a tenth of a start
  const told = `${elsewhere.path}/told.js`;
  await Deno.writeTextFile(
    told,
    `const load = process.getBuiltinModule;
process.getBuiltinModule = (id) => {
  Deno.stderr.writeSync(new TextEncoder().encode("loads " + id + "\\n"));
  return load(id);
};
process.cwd = () => {
  Deno.stderr.writeSync(new TextEncoder().encode("asks node:process where it is\\n"));
  return Deno.cwd();
};
`,
  );
  const started = async (...args: string[]) => {
    const permissions = permissionsOf("portable");
    const line = ["run", "--no-config", "--preload", told, ...permissions, portable, ...args];
    return await run([Deno.execPath(), ...line], { cwd: elsewhere.path });
  };
  assert.deepEqual(await started("git"), { code: 0, stdout: "", stderr: "" });
  // That it would be told
  assert.match((await started("run", "--permissions", "git")).stderr, /^loads node:/m);
});

unix.test("the portable form needs nothing beside it", async () => {
  await using elsewhere = await scratch();
  await Deno.rename(portable, `${elsewhere.path}/renamed`);
  try {
    const version = await run([`${elsewhere.path}/renamed`, "--version"], { cwd: "/" });
    assert.equal(version.code, 0, version.stderr);
    const [name, runtime, , built] = version.stdout.split("\n");
    assert.equal(name, `climax ${manifest.version}`);
    assert.equal(runtime, `deno ${Deno.version.deno}, v8 ${Deno.version.v8}`);
    assert.equal(built, "built as portable");
    const listed = await run([`${elsewhere.path}/renamed`, "list"], { cwd: elsewhere.path });
    assert.match(listed.stdout, /^git /m);
    // A bundle resolves less for it than the sources do
    const list = ["list", "--json", "--all"];
    const short = await run([`${elsewhere.path}/renamed`, ...list], { cwd: elsewhere.path });
    const whole = await run(climax(...list), { cwd: elsewhere.path });
    assert.deepEqual(JSON.parse(short.stdout), JSON.parse(whole.stdout));
  } finally {
    await Deno.rename(`${elsewhere.path}/renamed`, portable);
  }
});

unix.test("the portable form loads nothing but Deno's own modules", async () => {
  const args = ["info", "--json", "--no-config", portable];
  const { stdout } = await run([Deno.execPath(), ...args]);
  const { modules } = JSON.parse(stdout) as {
    modules: { dependencies?: { specifier: string; isDynamic?: boolean }[] }[];
  };
  const dependencies = modules.flatMap(({ dependencies = [] }) => dependencies);
  const imported = dependencies.map(({ specifier }) => specifier);
  assert.deepEqual(imported.filter((specifier) => !specifier.startsWith("node:")), []);
  // What a start loads; all else is put off, see build/_lazy_builtins.ts
  const early = ["buffer", "events", "path", "path/posix", "url", "util"].map((id) => `node:${id}`);
  const atStart = dependencies.filter(({ isDynamic }) => !isDynamic);
  const late = atStart.map(({ specifier }) => specifier).filter((id) => !early.includes(id));
  assert.deepEqual(late, []);
});

unix.test("the portable form is ASCII, which V8 reads faster", async () => {
  assert.equal((await Deno.readFile(portable)).findIndex((byte) => byte > 127), -1);
});

unix.test("the portable form carries the libraries for language models packed", async () => {
  const text = await Deno.readTextFile(portable);
  // Each MB costs a start of the one file some 4 ms; QuickJS has 0.37, iovalkey 0.13
  assert.ok(text.length < 5_950_000, `${text.length} characters`);
  assert.ok(text.includes('"npm/'));
  for (const name of ["@ai-sdk/", "@aws-sdk/", "@smithy/"]) {
    assert.equal(text.includes(`"npm/${name}`), false, name);
  }
});

unix.test("the portable form serves and calls", async () => {
  assert.match(await smoke([portable]), /lists its tools and calls one: git version/);
});

const isData = (file: string) => file.startsWith("parts/configs/") || file.endsWith(".br");

unix.test("a start of the folder loads a core below 1 MB, and calls but those of git need no more", async () => {
  await using elsewhere = await scratch();
  const early = ["climax.mjs", "parts/start.mjs", "parts/core.mjs"];
  const files = filesIn(folder()).filter((file) => early.includes(file) || isData(file));
  for (const file of files) await copyInto(elsewhere.path, file);
  const { size } = await Deno.stat(join(elsewhere.path, "parts", "core.mjs"));
  assert.ok(size < 1_000_000, String(size));
  const config = join(elsewhere.path, "own.yaml");
  await Deno.writeTextFile(
    config,
    "name: t\ncommand: node\ntools: [{ name: t, command: --version }]",
  );
  for (const named of ["git", config]) {
    await using server = new RawServer(
      new Deno.Command(join(elsewhere.path, "climax.mjs"), {
        args: [named],
        stdin: "piped",
        stdout: "piped",
        stderr: "piped",
      }).spawn(),
    );
    await server.initialize();
    assert.equal((await server.request("tools/list")).result.tools.length, 2);
    assert.match((await server.call("climax_search", { query: "status" })).text, /status|t/);
    if (named === config) {
      const args = { tool_name: "t", args: {} };
      assert.notEqual((await server.call("climax_call", args)).text, "");
    }
    await server.closeInput();
    assert.equal((await server.ended()).code, 0);
  }
});

unix.test("the schemas of the MCP SDK are made when they are used", async () => {
  const core = await Deno.readTextFile(join(folder(), "parts", "core.mjs"));
  // `XSchema = lazySchema(() => YSchema.extend({…}))`, minified
  const lazy = core.match(/=[\w$]+\(\(\)=>[\w$]+\.extend\(/g) ?? [];
  assert.ok(lazy.length > 50, String(lazy.length));
});

async function copyInto(to: string, file: string): Promise<void> {
  await Deno.mkdir(dirname(join(to, file)), { recursive: true });
  await Deno.copyFile(join(folder(), file), join(to, file));
}

function folder(): string {
  return folderBeside(portable);
}

unix.test("the folder serves and calls, also through a symbolic link", async () => {
  await using elsewhere = await scratch();
  const link = join(elsewhere.path, "climax");
  await Deno.symlink(join(folder(), "climax.mjs"), link);
  assert.match(await smoke([link]), /lists its tools and calls one: git version/);
});

unix.test("climax.mjs without its folder says what is missing", async () => {
  await using elsewhere = await scratch();
  await copyInto(elsewhere.path, "climax.mjs");
  const { code, stdout, stderr } = await run([join(elsewhere.path, "climax.mjs"), "git"]);
  assert.deepEqual([code, stdout], [1, ""]);
  const [said, hint, ...rest] = stderr.trimEnd().split("\n");
  assert.equal(said, `error: The folder 'parts' is not beside ${elsewhere.path}/climax.mjs`);
  assert.match(hint!, /^ {2}hint: Copy the folder/);
  assert.deepEqual(rest, []);
});

unix.test("modules of the folder import each other and Deno's own, and are ASCII", async () => {
  const modules = filesIn(folder()).filter((file) => file.endsWith(".mjs"));
  assert.ok(modules.length > 4, modules.join(" "));
  for (const file of modules) {
    const bytes = await Deno.readFile(join(folder(), file));
    assert.equal(bytes.findIndex((byte) => byte > 127), -1, file);
    const args = ["info", "--json", "--no-config", join(folder(), file)];
    const { stdout } = await run([Deno.execPath(), ...args]);
    const { modules } = JSON.parse(stdout) as { modules: { specifier: string }[] };
    const own = pathToFileURL(folder()).href;
    const others = modules.map(({ specifier }) => specifier).filter((id) => {
      return !id.startsWith("node:") && !id.startsWith(own);
    });
    assert.deepEqual(others, [], file);
  }
});

unix.test("smoke() fails for what is no server", async () => {
  await assert.rejects(smoke(["true"]));
});

Deno.test("deno task test makes the bundle that its tests start", async () => {
  const { command } = manifest.tasks.test;
  assert.match(
    command,
    /deno task --quiet bundle --output (\S+) && CLIMAX_TEST_BUNDLE=\1 deno run .*build\/test\.ts fast$/,
  );
  const { stdout } = await run(climax("--version"), { cwd: root });
  const form = givenBundle() === undefined ? "source" : "portable";
  assert.equal(stdout.includes(`\nbuilt as ${form}\n`), true, stdout);
});
