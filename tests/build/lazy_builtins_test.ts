/** Imports of a bundle that are put off until they are used. */

import assert from "node:assert/strict";
import { lazyBuiltins } from "../../build/_lazy_builtins.ts";

/** What a module of this code exports. */
async function evaluate(code: string): Promise<Record<string, unknown>> {
  return await import(`data:text/javascript,${encodeURIComponent(code)}`);
}

Deno.test("lazyBuiltins() leaves no import of what few functions use", () => {
  for (
    const name of ["child_process", "fs", "fs/promises", "http", "http2", "https", "os", "process"]
  ) {
    for (const line of [`import a$ from"node:${name}";`, `import a from "node:${name}";`]) {
      assert.equal(/\bimport\b/.test(lazyBuiltins(line)), false, line);
    }
  }
  const added = `import{createRequire as r}from "node:module";var q=r(import.meta.url);`;
  assert.equal(/\bimport[ {]/.test(lazyBuiltins(added)), false);
});

Deno.test("lazyBuiltins() leaves other imports as they are", () => {
  for (
    const line of [
      `import a from"node:path";`,
      `import{EventEmitter as e}from"node:events";`,
      `import a from"./node:fs";`,
      `say("import a from 'node:fs';");`,
    ]
  ) assert.equal(lazyBuiltins(line), line);
});

Deno.test("lazyBuiltins() refuses an import that it cannot put off", () => {
  for (const line of [`import"node:fs";`, `import a from'node:fs';`, `import a from "node:fs"\n`]) {
    assert.throws(() => lazyBuiltins(`x();${line}`), /Nothing was built/, line);
  }
});

Deno.test("lazyBuiltins() gives the same modules once they are used", async () => {
  const code = lazyBuiltins(
    `import fs from"node:fs";import p$ from"node:process";` +
      `import{createRequire as make}from "node:module";var require=make(import.meta.url);` +
      `export const exists=fs.existsSync(".");export const pid=p$.pid;` +
      `export const on=p$.on("x",()=>{})!==undefined;export const has="argv"in p$;` +
      `p$.exitCode=undefined;export const sep=require("node:path").sep;`,
  ).replace("import.meta.url", `"file:///x.mjs"`);
  const { exists, pid, on, has, sep } = await evaluate(code);
  assert.deepEqual({ exists, pid, on, has }, { exists: true, pid: Deno.pid, on: true, has: true });
  assert.equal(sep, Deno.build.os === "windows" ? "\\" : "/");
});

Deno.test("lazyBuiltins() gives functions, classes and objects of modules", async () => {
  const code = lazyBuiltins(
    `import{createHash as h,randomBytes}from"node:crypto";import{Readable as R}from"node:stream";` +
      `import{promises as p}from"node:fs";import*as os from"node:os";` +
      `export const hash=h("sha256").update("a").digest("hex").slice(0,8);` +
      `export const random=randomBytes(3).length;class Own extends R{_read(){this.push(null)}}` +
      `const own=new Own();export const isOwn=own instanceof Own&&own instanceof R;` +
      `export const piped=typeof own.pipe;export const empty=R.from([]).readable;` +
      `export const dir=(await p.stat(".")).isDirectory();export const end=typeof os.EOL;`,
  );
  assert.equal(/import[{* ]/.test(code), false);
  assert.deepEqual({ ...await evaluate(code) }, {
    dir: true,
    empty: true,
    end: "string",
    hash: "ca978112",
    isOwn: true,
    piped: "function",
    random: 3,
  });
});
