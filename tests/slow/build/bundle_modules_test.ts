/**
 * What bundles load: nothing but modules of Node.js. A package that is looked for beside one, or beside
 * a binary in the folder for temporary files, may be anybody's.
 */

import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { type Scratch, scratch } from "../../e2e/_scratch.ts";
import { filesIn, folderBeside } from "../../../build/_portable_folder.ts";
import { denoDir } from "../../e2e/_server.ts";
import { buildPortable, permissionsOf, run } from "../../build/_build.ts";
import { unix } from "../../_requirements.ts";

let dir: Scratch;
let portable: string;
Deno.test.beforeAll(async () => {
  dir = await scratch();
  portable = await buildPortable(dir.path);
});
Deno.test.afterAll(async () => await dir[Symbol.asyncDispose]());

/** What is packed in a bundle: base64 of brotli in a string. */
const packed = /\bfrom(?:Base64)?\("([A-Za-z0-9+/=]{1000,})"/g;

/** A bundle and the bundles in it. */
function bundlesIn(code: string): string[] {
  const inside = code.matchAll(packed)
    .map(([, base64]) => brotliDecompressSync(Uint8Array.fromBase64(base64!)).toString())
    .filter((text) => !text.startsWith("["));
  return [code, ...inside];
}

/** What `code` imports, by `deno info`. */
async function importsOf(code: string): Promise<string[]> {
  const path = await Deno.makeTempFile({ dir: dir.path, suffix: ".mjs" });
  await Deno.writeTextFile(path, code);
  const { stdout, stderr } = await run([Deno.execPath(), "info", "--no-config", "--json", path]);
  const { modules } = JSON.parse(stdout || stderr) as {
    readonly modules: readonly {
      readonly dependencies?: readonly { readonly specifier: string }[];
    }[];
  };
  return modules.flatMap(({ dependencies = [] }) => dependencies.map((each) => each.specifier));
}

/** The only one that makes a `require` of Node's: `@ai-sdk` wants `undici` where it does not run on Deno. */
const ofAiSdk = /\{createRequire:(\w+)\}=\w+\("node:module"\)[^]{0,100}\1\(\w+\(\)\)\("undici"\)/g;

/** That of Emscripten, for a Node.js that it does not find: its thread hides `process` while it loads. */
const ofEmscripten = /\{createRequire:(\w+)\}=await import\("node:module"\);/g;

unix.test("the portable form imports and requires modules of Node.js only", async () => {
  const bundles = bundlesIn(await Deno.readTextFile(portable));
  assert.equal(bundles.length, 4);
  for (const code of bundles) {
    assert.deepEqual((await importsOf(code)).filter((id) => !id.startsWith("node:")), []);
    const rest = code.replace(ofAiSdk, "").replace(ofEmscripten, "");
    const made = rest.match(/\bcreateRequire:|\.createRequire\(|\bcreateRequire\(/g);
    assert.deepEqual(made, null);
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

unix.test("a bundle names no folder of the machine that made it", async () => {
  const paths = [
    portable,
    ...filesIn(folderBeside(portable)).filter((file) => file.endsWith("js")),
  ];
  for (const path of paths) {
    const code = await Deno.readTextFile(resolve(folderBeside(portable), path));
    for (const each of bundlesIn(code)) {
      for (const place of [denoDir(), denoDir().replace(/^\//, ""), dir.path]) {
        assert.equal(each.includes(place), false, `${path}: ${place}`);
      }
    }
  }
});
