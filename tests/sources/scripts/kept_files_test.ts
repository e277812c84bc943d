/** Files and headers of kept scripts up to their bounds, and plans of scripts. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { valueArgs } from "../../../src/sources/command/read_config.ts";
import { readHeader } from "../../../src/sources/scripts/kept_tools.ts";
import {
  findCalls,
  findKeptFiles,
  hasMark,
  readScript,
} from "../../../src/sources/scripts/kept_files.ts";
import * as limits from "../../../src/sources/scripts/limits.ts";
import { scriptRunner } from "../../../src/sources/scripts/script_source.ts";
import { scriptTool } from "../../../src/sources/scripts/script_tools.ts";
import type { ArgValues } from "../../../src/tool/tool.ts";
import { unixTest } from "../../_requirements.ts";
import { scratch } from "../../e2e/_scratch.ts";

const header = (more: object = {}) =>
  `/* climax script\n${JSON.stringify({ description: "Does", effect: "read", ...more })}\n*/`;

const files: readonly (readonly [name: string, length: number, reason?: RegExp])[] = [
  [`a${"b".repeat(63)}`, 0],
  [`a${"b".repeat(64)}`, 0, /cannot be that of a tool/],
  ["1", 0, /cannot be that of a tool/],
  ["long", 65_536],
  ["longer", 65_537, /more than 65,536 characters/],
];

Deno.test("readScript() takes files up to their bounds, and findKeptFiles() so many", async () => {
  await using dir = await scratch();
  for (const [name, length, reason = /^undefined/] of files) {
    const path = join(dir.path, `${name}.js`);
    await Deno.writeTextFile(path, header().padEnd(length, "ü"));
    const read = await readScript(path);
    const { message, hint } = read as { message?: string; hint?: string };
    assert.match(String(message), reason, name);
    assert.equal(hint !== undefined, message?.includes("name") === true);
    await Deno.writeFile(path, Uint8Array.of(0xff), { append: true });
    assert.match((await readScript(path) as { message: string }).message, /not UTF-8/);
    await Deno.remove(path);
  }
  await Deno.writeTextFile(join(dir.path, "a_other.js"), "1");
  assert.deepEqual([47, 48].map((length) => hasMark(`${" ".repeat(length)}/* climax script\n`)), [
    true,
    false,
  ]);
  const add = (name: number) => Deno.writeTextFile(join(dir.path, `n${name}.js`), header());
  for (let at = 0; at < limits.maxKept; at++) await add(at);
  const { files: kept, warnings } = await findKeptFiles(dir.path);
  assert.deepEqual([kept.length, warnings], [limits.maxKept, []]);
  await add(limits.maxKept);
  assert.equal((await findKeptFiles(dir.path)).warnings.length, 1);
});

unixTest(
  "readScript() counts characters of any length, and follows no link and no pipe",
  async () => {
    await using dir = await scratch();
    const path = join(dir.path, "a.js");
    for (const length of [65_536, 65_537, 80_000, 200_000]) {
      const text = header().padEnd(length, "€");
      await Deno.writeTextFile(path, text);
      const read = await readScript(path) as { message?: string; text?: string };
      if (length === 65_536) assert.equal(read.text, text);
      else assert.match(String(read.message), /^The script has more than 65,536 characters/);
    }
    await Deno.symlink(path, join(dir.path, "link.js"));
    const link = await readScript(join(dir.path, "link.js")) as { message?: string };
    assert.match(String(link.message), /^A script that is a link is not followed/);
    const pipe = join(dir.path, "pipe.js");
    await new Deno.Command("mkfifo", { args: [pipe] }).output();
    assert.equal(await readScript(pipe), undefined);
  },
);

Deno.test("findCalls() names the tools of a script, and says that it may call others", () => {
  const calls: readonly (readonly [code: string, names: string[], hasOthers: boolean])[] = [
    [`/* call(x) */ call("a"); call('a', {}); x.call("b")`, ["a"], true],
    [`/* call(x) */ call("a")`, ["a"], false],
    ['await call(`a_b`, {}); await call("c")', ["a_b", "c"], false],
    ['recall("a"); search("call")', [], true],
    ['recall("a")', [], false],
    ['call("a" + b)', [], true],
    ["globalThis", [], true],
    [String.raw`c\u0061ll("a")`, [], true],
  ];
  for (const [code, names, hasOthers] of calls) {
    assert.deepEqual(findCalls(code), { names, hasOthers }, code);
  }
});

Deno.test("readHeader() takes lists and a description up to their bounds", async () => {
  const args = Array.from({ length: 51 }, (_, at) => ({ name: `t${at}` }));
  const examples = args.map(({ name }) => name);
  const rows = [
    [{ description: "x".repeat(1000), examples: examples.slice(1) }, true],
    [{ description: "x".repeat(1001) }, false],
    [{ description: "x" }, true],
    [{ description: " " }, false],
    [{ args: args.slice(1) }, true],
    [{ args }, false],
    [{ examples }, false],
    [{ args: [{ name: "a", type: "integer", default: 1 }] }, true],
    [{ args: [{ name: "a", type: "integer", default: "x" }] }, false],
    [{ args: [{ name: "a" }, { name: "a" }] }, false],
    [{ args: [{ name: "a", pattern: "(" }] }, false],
  ] as const;
  for (const [more, isOk] of rows) {
    assert.equal((await readHeader("a.js", header(more), valueArgs)).ok, isOk);
  }
  for (const none of ["", "null", "x"]) {
    assert.equal((await readHeader("a.js", `/* climax script\n${none}\n*/`, valueArgs)).ok, false);
  }
});

Deno.test("script_run takes an input up to its bound, and shows a person what runs", async () => {
  const runner = scriptRunner({ limits: { ...limits.scriptLimits, valueLength: 10 } });
  const planOf = async (values: Record<string, unknown>) =>
    await runner.prepare(scriptTool([]), new Map(Object.entries(values)) as ArgValues);
  const plan = await planOf({ code: "1", input: "x".repeat(8), dry_run: true });
  assert.ok(plan.ok && !plan.needsPermit);
  const { line, record } = plan.preview;
  assert.equal(line, 'script_run (dry run) with the input "xxxxxxxx"');
  assert.deepEqual([record["dry_run"], record["arguments"]], [true, { input: "xxxxxxxx" }]);
  assert.equal((await planOf({ code: "1", input: "x".repeat(9) })).ok, false);
  assert.match(
    JSON.stringify(await planOf({ code: " " })),
    /Argument 'code' is empty: expected Ja/,
  );
});
