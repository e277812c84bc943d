/** The npm package: packed, installed into an empty folder, and driven over MCP from there. */

import assert from "node:assert/strict";
import { dirname, join, normalize } from "node:path";
import { isHere, needs, processTools, unix } from "../../_requirements.ts";
import { isAlive, untilGone } from "../../_wait.ts";
import { type Scratch, scratch } from "../../e2e/_scratch.ts";
import { RawServer } from "../../e2e/_raw.ts";
import { root } from "../../e2e/_server.ts";
import { build, buildPortable, manifest, permissionsOf, run } from "../../build/_build.ts";
import { ends } from "../../cli/commands/_climax.ts";
import { spawn } from "../../_run.ts";

const windows = Deno.build.os === "windows";
const quiet = ["--silent", "--no-audit", "--no-fund"];

/** The repository that the build is told, and the package names. */
const repository = "https://host.example/owner/climax";

let dir: Scratch;
/** For tests that install the package with what it depends on. */
const registry = needs(
  "npm's registry",
  !windows && await isHere("npm", ["view", "--prefer-offline", "deno", "name"]),
);

if (!windows) {
  Deno.test.beforeAll(async () => {
    dir = await scratch();
    const script = await buildPortable(dir.path);
    const folder = join(dir.path, "npm");
    const options = ["--output", folder, "--script", script, "--repository", repository];
    await ends(build("npm", options), { code: 0 });
    const packed = await run(["npm", "pack", "--silent", "--pack-destination", dir.path, folder]);
    assert.equal(packed.code, 0, packed.stderr);
    await Deno.mkdir(join(dir.path, "empty"));
    if (registry.ignore) return;
    const install = ["npm", "install", ...quiet, "--prefer-offline", tarball()] as const;
    await ends(run(install, { cwd: join(dir.path, "empty") }), { code: 0 });
  });
  Deno.test.afterAll(async () => await dir[Symbol.asyncDispose]());
}

function tarball(): string {
  return join(dir.path, `${manifest.name}-${manifest.version}.tgz`);
}

function installed(...words: string[]): string {
  return join(dir.path, "empty", "node_modules", ...words);
}

unix.test("the npm package holds the launcher, the program and what people read, and no more", async () => {
  const { stdout } = await run(["tar", "--list", "--file", tarball()]);
  const expected = [
    ...[".github/CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "README.md", "configs/README.md"],
    "SECURITY.md",
    ...["climax.cjs", "climax.mjs", "package.json"],
    ...[...filesBelow("docs"), ...filesBelow("deploy")],
  ].toSorted();
  assert.deepEqual(packed(stdout).toSorted(), expected);
  const text = await Deno.readTextFile(join(dir.path, "npm", "package.json"));
  const { bin, dependencies } = JSON.parse(text);
  assert.deepEqual([Object.keys(bin), Object.keys(dependencies)], [["climax"], ["deno"]]);
  const launcher = await Deno.readTextFile(join(dir.path, "npm", "climax.cjs"));
  const flags = [
    ...["--no-config", "--no-prompt", "--no-remote", "--no-npm"],
    ...[
      "--v8-flags=--min-semi-space-size=16,--invocation-count-for-maglev=200,--minimum-invocations-after-ic-update=200",
      ...permissionsOf("npm"),
    ],
  ];
  assert.equal(launcher.includes(JSON.stringify(flags)), true);
});

function filesBelow(folder: string): string[] {
  return [...Deno.readDirSync(join(root, folder))].flatMap(({ name, isDirectory }) => {
    return isDirectory ? filesBelow(`${folder}/${name}`) : [`${folder}/${name}`];
  });
}

/** Paths in the tarball, as `tar` lists them. */
function packed(listed: string): string[] {
  return listed.trim().split("\n").map((path) => path.replace(/^package\//, ""));
}

unix.test("links of what is packed lead to what is packed, and those of README to the repository", async () => {
  const files = packed((await run(["tar", "--list", "--file", tarball()])).stdout);
  const version = `${repository}/blob/v${manifest.version}/`;
  let checked = 0;
  for (const page of files.filter((file) => file.endsWith(".md"))) {
    const text = await Deno.readTextFile(join(dir.path, "npm", page));
    for (const [, link] of text.matchAll(/\]\(([^)#\s]+)(?:#[^)\s]*)?\)/g)) {
      checked++;
      if (link!.startsWith(version)) {
        const path = link!.slice(version.length);
        assert.equal(await exists(join(root, path)), true, `${page}: ${link}`);
      } else if (!/^https:\/\//.test(link!)) {
        assert.notEqual(page, "README.md", link);
        assert.ok(files.includes(normalize(join(dirname(page), link!))), `${page}: ${link}`);
      }
    }
  }
  assert.ok(checked > 30, String(checked));
  const readme = await Deno.readTextFile(join(dir.path, "npm", "README.md"));
  const pictures = [...readme.matchAll(/ (?:src|srcset)="([^"]+)"/g)].map(([, path]) => path!);
  const raw = `${repository}/raw/v${manifest.version}/`;
  assert.ok(pictures.length > 1 && pictures.every((path) => path.startsWith(raw)), readme);
});

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

registry.test("npx climax git serves to an MCP client", async () => {
  const server = start(["npx", "--no-install", "climax", "git"]);
  await using _ = server;
  assert.equal((await server.initialize()).result.serverInfo.version, manifest.version);
  assert.equal((await server.request("tools/list")).result.tools.length, 2);
  await server.closeInput();
  assert.equal((await server.ended()).code, 0);
});

Deno.test("a signal to the launcher ends the server", {
  ignore: registry.ignore || processTools.ignore,
}, async () => {
  await using server = start([installed(".bin", "climax"), "git"]);
  await server.initialize();
  const pid = Number((await run(["ps", "-o", "pid=", "--ppid", String(server.pid)])).stdout);
  assert.equal(isAlive(pid), true);
  server.kill("SIGTERM");
  assert.equal((await server.ended()).code, 0);
  await untilGone(pid);
});

function start(words: readonly string[]): RawServer {
  return new RawServer(spawn(words, { cwd: join(dir.path, "empty"), env: Deno.env.toObject() }));
}
