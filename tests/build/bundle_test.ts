/** A bundle loads modules, schemas and Ajv on first use, and they work as without it. */

import assert from "node:assert/strict";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { bundleModule } from "../../build/_bundle.ts";
import { lazySchemas, lazyValidator } from "../../build/_plugins.ts";
import { ClimaxError } from "../../src/errors.ts";
import { scratch } from "../e2e/_scratch.ts";

/** Bundles a module and loads it; `loaded` has the modules of Node.js that this took. */
async function loadBundled(code: string, ...plugins: Plugin[]) {
  await using dir = await scratch({ "entry.js": code });
  const text = await bundleModule(join(dir.path, "entry.js"), { plugins });
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const loaded: string[] = [];
  const { process } = globalThis;
  const { getBuiltinModule } = process;
  process.getBuiltinModule = ((id: string) => (loaded.push(id), getBuiltinModule(id))) as never;
  try {
    return { exports: await import(url), text, loaded: [...loaded] };
  } finally {
    process.getBuiltinModule = getBuiltinModule;
    URL.revokeObjectURL(url);
  }
}

Deno.test("a bundle loads modules of Node.js when it uses them, and has what they export", async () => {
  const { exports, text, loaded } = await loadBundled(`
    import { createHash as h, randomBytes } from "node:crypto";
    import fs, { promises as p } from "node:fs";
    import * as os from "node:os";
    import process from "node:process";
    import { Readable as R } from "stream";
    import { sep } from "node:path";
    export const pid = process.pid;
    export const separator = sep;
    export async function use() {
      class Own extends R { _read() { this.push(null); } }
      const own = new Own();
      const { EOL } = await import("node:os");
      return {
        hash: h("sha256").update("a").digest("hex").slice(0, 8),
        random: randomBytes(3).length,
        exists: fs.existsSync("."),
        isFolder: (await p.stat(".")).isDirectory(),
        isOwn: own instanceof Own && own instanceof R,
        isReadable: R.from([]).readable,
        isSame: os.EOL === EOL,
        isProcess: "argv" in process && process.on("x", () => {}) === process,
      };
    }`);
  assert.deepEqual(loaded, []);
  assert.deepEqual(text.match(/\bimport\b[^;]*"/g)?.map((each) => each.split('"')[1]), [
    "node:path",
  ]);
  assert.equal(exports.pid, Deno.pid);
  assert.deepEqual(await exports.use(), {
    hash: "ca978112",
    random: 3,
    exists: true,
    isFolder: true,
    isOwn: true,
    isReadable: true,
    isSame: true,
    isProcess: true,
  });
});

Deno.test("a require that a bundle makes finds modules of Node.js and no packages", async () => {
  const { exports } = await loadBundled(`
    import { createRequire } from "node:module";
    const load = createRequire(import.meta.url);
    export const sep = load("node:path").sep;
    export const planted = () => load("bufferutil");`);
  assert.equal(exports.sep, Deno.build.os === "windows" ? "\\" : "/");
  assert.throws(() => exports.planted(), /Not in this bundle: bufferutil/);
});

Deno.test("lazySchemas makes the schemas of the MCP SDK when they are used", async () => {
  const { exports, text } = await loadBundled(
    `import { specTypeSchemas } from "@modelcontextprotocol/client";
    export const check = async (value) => {
      return (await specTypeSchemas.CallToolResult["~standard"].validate(value)).issues === undefined;
    };`,
    lazySchemas,
  );
  // `XSchema = lazySchema(() => YSchema.extend({…}))`, minified
  const lazy = text.match(/=[\w$]+\(\(\)=>[\w$]+\.extend\(/g) ?? [];
  assert.ok(lazy.length > 50, String(lazy.length));
  assert.equal(await exports.check({ content: [] }), true);
  assert.equal(await exports.check({ content: 1 }), false);
});

Deno.test("lazyValidator checks as the SDK's own, and has one Ajv for both halves", async () => {
  const code = `import { fromJsonSchema } from "@modelcontextprotocol/server";
    import { Client } from "@modelcontextprotocol/client";
    export const make = () => new Client({ name: "a", version: "1" });
    export const check = (schema, value) => fromJsonSchema(schema)["~standard"].validate(value);`;
  const { exports, text } = await loadBundled(code, lazyValidator);
  const schema = { type: "object", properties: { a: { type: "string" } } };
  assert.deepEqual(await exports.check(schema, { a: "x" }), { value: { a: "x" } });
  assert.match((await exports.check(schema, { a: 1 })).issues[0].message, /a must be string/);
  assert.ok(exports.make());
  assert.equal(text.match(/no schema with key or ref/g)?.length, 1);
});

Deno.test("a plugin fails whose file is not in the bundle, and so does a module that is missing", async () => {
  for (
    const [code, plugins, message] of [
      ["export {};", [lazySchemas], /^No module has the path .*core/],
      ['import "./none.js";', [], /^.*entry\.js:1: Could not resolve "\.\/none\.js"$/],
    ] as const
  ) {
    await assert.rejects(loadBundled(code, ...plugins), (error) => {
      assert.ok(error instanceof ClimaxError);
      assert.match(error.problems[0]!.message, message);
      return true;
    });
  }
});

Deno.test("what is used once is disposed of in a bundle too", async () => {
  const { exports } = await loadBundled(`
    const open = (list) => ({ add: (x) => list.push(x), [Symbol.dispose]: () => list.push("end") });
    export function once(list) { using one = open(list); one.add("in"); }
    export function unused(list) { using one = open(list); list.push("in"); }`);
  for (const name of ["once", "unused"]) {
    const list: string[] = [];
    exports[name](list);
    assert.deepEqual(list, ["in", "end"], name);
  }
});
