/** The npm package: packed, installed into an empty folder, and driven over MCP from there. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { smoke } from "../../build/smoke.ts";
import { isAlive, type Scratch, scratch, until } from "../e2e/_scratch.ts";
import { RawServer } from "../e2e/_raw.ts";
import { root } from "../e2e/_server.ts";
import { build, buildPortable, manifest, permissionsOf, run, skipped } from "./_build.ts";

const windows = Deno.build.os === "windows";
const quiet = ["--silent", "--no-audit", "--no-fund"];

let dir: Scratch;
/** What was wrong with the installation, when the registry may be to blame. */
let unreachable: string | undefined;

if (!windows) {
  Deno.test.beforeAll(async () => {
    dir = await scratch();
    const script = await buildPortable(dir.path);
    const folder = join(dir.path, "npm");
    const built = await build("npm", ["--output", folder, "--script", script]);
    assert.equal(built.code, 0, built.stderr);
    const packed = await run(["npm", "pack", "--silent", "--pack-destination", dir.path, folder]);
    assert.equal(packed.code, 0, packed.stderr);
    await Deno.mkdir(join(dir.path, "empty"));
    const install = ["npm", "install", ...quiet, "--prefer-offline", tarball()] as const;
    const installed = await run(install, { cwd: join(dir.path, "empty") });
    if (installed.code === 0) return;
    unreachable = installed.stderr.trim() || `npm install ended with ${installed.code}`;
    skipped("the npm package installed", unreachable);
  });
  Deno.test.afterAll(async () => await dir[Symbol.asyncDispose]());
}

function tarball(): string {
  return join(dir.path, `${manifest.name}-${manifest.version}.tgz`);
}

function installed(...words: string[]): string {
  return join(dir.path, "empty", "node_modules", ...words);
}

Deno.test("the npm package holds the launcher, the program and what people read, and no more", {
  ignore: windows,
}, async () => {
  const { stdout } = await run(["tar", "--list", "--file", tarball()]);
  const docs = [...Deno.readDirSync(join(root, "docs"))].map(({ name }) => `docs/${name}`);
  const expected = [
    ...[".github/CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "README.md"],
    ...["climax.cjs", "climax.mjs", "package.json"],
    ...docs,
  ].toSorted();
  assert.deepEqual(
    stdout.trim().split("\n").map((path) => path.replace(/^package\//, "")).toSorted(),
    expected,
  );
  const text = await Deno.readTextFile(join(dir.path, "npm", "package.json"));
  const { name, version, bin, dependencies } = JSON.parse(text);
  assert.deepEqual({ name, version, bin: Object.keys(bin) }, {
    name: manifest.name,
    version: manifest.version,
    bin: ["climax"],
  });
  assert.deepEqual(Object.keys(dependencies), ["deno"]);
  const launcher = await Deno.readTextFile(join(dir.path, "npm", "climax.cjs"));
  const flags = ["--no-config", "--no-prompt", "--no-remote", ...permissionsOf("npm")];
  assert.equal(launcher.includes(JSON.stringify(flags)), true);
});

Deno.test("the installed package serves and calls", { ignore: windows }, async () => {
  if (unreachable !== undefined) return;
  assert.match(await smoke([installed(".bin", "climax")]), /lists its tools and calls one/);
});

Deno.test("npx climax git serves to an MCP client", { ignore: windows }, async () => {
  if (unreachable !== undefined) return;
  const server = start(["npx", "--no-install", "climax", "git"]);
  await using _ = server;
  const { result } = await server.initialize();
  assert.equal(result.serverInfo.version, manifest.version);
  const listed = await server.request("tools/list");
  assert.equal(listed.result.tools.length, 2);
  await server.closeInput();
  assert.equal((await server.ended()).code, 0);
});

Deno.test("a signal to the launcher ends the server", { ignore: windows }, async () => {
  if (unreachable !== undefined) return;
  await using server = start([installed(".bin", "climax"), "git"]);
  await server.initialize();
  const children = await run(["ps", "-o", "pid=", "--ppid", String(server.pid)]);
  const pid = Number(children.stdout);
  assert.equal(isAlive(pid), true);
  server.kill("SIGTERM");
  assert.equal((await server.ended()).code, 0);
  await until(() => isAlive(pid) ? undefined : true, "the end of the server");
});

Deno.test("the launcher hands on the exit code", { ignore: windows }, async () => {
  if (unreachable !== undefined) return;
  const { code, stderr } = await run([installed(".bin", "climax"), "validate", "nothing.yaml"]);
  assert.equal(code, 3, stderr);
});

function start([program, ...args]: readonly [string, ...string[]]): RawServer {
  const child = new Deno.Command(program, {
    args,
    cwd: join(dir.path, "empty"),
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  return new RawServer(child);
}
