/**
 * The portable form: one file that runs from anywhere with the permissions of its first line. It loads nothing but
 * modules of Node.js, since a package that lies beside it, or beside a binary in the folder for temporary files, may
 * come from anyone.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { smoke } from "../../../build/smoke.ts";
import { type Scratch, scratch } from "../../e2e/_scratch.ts";
import { climax, denoDir, root } from "../../e2e/_server.ts";
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

unix.test("a start of the portable form loads two modules of Node.js late, and no others", async () => {
  await using other = await scratch();
  // The first module that a start loads takes a sixth of it, whichever it is
  const recorder = `${other.path}/recorder.js`;
  await Deno.writeTextFile(
    recorder,
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
    const line = ["run", "--no-config", "--preload", recorder, ...permissions, portable, ...args];
    return await run([Deno.execPath(), ...line], { cwd: other.path });
  };
  const { code, stdout, stderr } = await started("git");
  assert.deepEqual([code, stdout], [0, ""]);
  assert.deepEqual(stderr.trim().split("\n").toSorted(), ["loads node:fs", "loads node:net"]);
  // The recorder works
  assert.match((await started("doctor", "git")).stderr, /^loads node:/m);
});

unix.test("the portable form needs nothing beside it", async () => {
  await using other = await scratch();
  await Deno.rename(portable, `${other.path}/renamed`);
  try {
    const version = await run([`${other.path}/renamed`, "--version"], { cwd: "/" });
    assert.equal(version.code, 0, version.stderr);
    const [name, runtime, , built] = version.stdout.split("\n");
    assert.equal(name, `climax ${manifest.version}`);
    assert.equal(runtime, `deno ${Deno.version.deno}, v8 ${Deno.version.v8}`);
    assert.equal(built, "built as portable");
    const listed = await run([`${other.path}/renamed`, "list"], { cwd: other.path });
    assert.match(listed.stdout, /^git /m);
    // A bundle resolves less for it than the sources do
    const list = ["list", "--json", "--all"];
    const short = await run([`${other.path}/renamed`, ...list], { cwd: other.path });
    const whole = await run(climax(...list), { cwd: other.path });
    assert.deepEqual(JSON.parse(short.stdout), JSON.parse(whole.stdout));
  } finally {
    await Deno.rename(`${other.path}/renamed`, portable);
  }
});

/** Base64 of compressed code. */
const packed = /\bfromBase64\("([A-Za-z0-9+/=]{1000,})"/g;

/** The code of the portable form, and that of the bundles in it. */
async function bundles(): Promise<string[]> {
  const code = await Deno.readTextFile(portable);
  const inside = code.matchAll(packed).map(([, base64]) => {
    return brotliDecompressSync(Uint8Array.fromBase64(base64!)).toString();
  });
  return [code, ...inside];
}

/** Returns the imports of `code`, by `deno info`. */
async function importsOf(code: string) {
  const path = await Deno.makeTempFile({ dir: dir.path, suffix: ".mjs" });
  await Deno.writeTextFile(path, code);
  const { stdout } = await run([Deno.execPath(), "info", "--json", "--no-config", path]);
  const { modules } = JSON.parse(stdout) as {
    modules: { dependencies?: { specifier: string; isDynamic?: boolean }[] }[];
  };
  return modules.flatMap(({ dependencies = [] }) => dependencies);
}

unix.test("a start imports few modules of Deno, and no bundle others", async () => {
  const codes = await bundles();
  assert.equal(codes.length, 4);
  const early = ["buffer", "events", "path", "path/posix", "url", "util"].map((id) => `node:${id}`);
  for (const code of codes) {
    const imported = (await importsOf(code)).map(({ specifier }) => specifier);
    assert.deepEqual(imported.filter((id) => !early.includes(id)), []);
    // `createRequire` would look for packages beside a bundle
    assert.doesNotMatch(code, /getBuiltinModule\("(?:node:)?module"\)/);
  }
});

unix.test("a package that is planted beside the portable form is not run", async () => {
  const planted = join(dir.path, "node_modules");
  for (const name of ["bufferutil", "utf-8-validate"]) {
    await Deno.mkdir(join(planted, name), { recursive: true });
    await Deno.writeTextFile(join(planted, name, "package.json"), '{"main":"index.js"}');
    await Deno.writeTextFile(join(planted, name, "index.js"), 'console.error("it ran");');
  }
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
    return new Response("no WebSocket", { status: 400 });
  });
  const config = join(dir.path, "servers.json");
  const url = `ws://127.0.0.1:${server.addr.port}/`;
  await Deno.writeTextFile(config, JSON.stringify({ mcpServers: { far: { url } } }));
  const flags = ["--no-config", "--no-prompt", "--no-remote", ...permissionsOf("portable")];
  const args = ["run", ...flags, portable, "list", "--mcp", config];
  const { stdout, stderr } = await run([Deno.execPath(), ...args], { cwd: dir.path });
  assert.doesNotMatch(stdout + stderr, /it ran/);
  // It got as far as the package would have been used
  assert.match(stderr, /Server 'far' cannot be connected, and .*: .*400/);
  await server.shutdown();
});

unix.test("the portable form is ASCII, and names no folder of the machine that made it", async () => {
  const codes = await bundles();
  // V8 reads ASCII faster
  assert.equal((await Deno.readFile(portable)).findIndex((byte) => byte > 127), -1);
  for (const name of ["AI_RetryError", "bedrock-runtime"]) {
    assert.deepEqual(codes.map((code) => code.includes(name)).filter(Boolean).length, 1, name);
    assert.equal(codes[0]!.includes(name), false, name);
  }
  for (const code of codes) {
    for (const place of [denoDir(), denoDir().replace(/^\//, ""), root, dir.path]) {
      assert.equal(code.includes(place), false, place);
    }
  }
});

unix.test("the portable form serves and calls, also through a symbolic link", async () => {
  await using other = await scratch();
  const link = join(other.path, "climax");
  await Deno.symlink(portable, link);
  assert.match(await smoke([link]), /lists its tools and calls one: git version/);
});
