/** The division of a bundle into what a start needs and the rest. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { partsOf } from "../../build/_parts.ts";
import { unitsOf } from "../../build/_units.ts";
import { scratch } from "../e2e/_scratch.ts";

const large = "A".repeat(100_000);

/** As esbuild writes a program that imports modules when it uses them. */
const bundle = `import { sep } from "node:path";
var __esm = (run) => () => (run && (run = run(run = 0)), run);
var __export = (to, all) => { for (const name in all) Object.defineProperty(to, name, { get: all[name], enumerable: true }); };
var __toESM = (value) => ({ default: value });
var log;
var init_log = __esm(() => { log = []; });
function count() { counted++; return counted; }
var counted;
var init_count = __esm(() => { counted = 0; });
function countTwice() { init_count(); counted += 2; return counted; }
var init_serve_configs = __esm(() => { init_log(); init_count(); log.push("serves", count()); });
var serve_configs_exports = {};
__export(serve_configs_exports, { count: () => count });
var init_read_config = __esm(() => { init_log(); });
var read_config_exports = {};
__export(read_config_exports, { log: () => log });
var late_exports = {};
__export(late_exports, { say: () => say });
function say() { return ["late", sep, countTwice(), log.length]; }
var init_late = __esm(() => { init_log(); log.push("late"); });
var require_common = () => ({ isCommon: true });
var packed_exports = {};
__export(packed_exports, { packed: () => packed });
var packed;
var init_packed = __esm(async () => { packed = Uint8Array.fromBase64("${large}"); });
async function main() {
  await Promise.resolve().then(() => (init_serve_configs(), serve_configs_exports));
  const { log: all } = await Promise.resolve().then(() => (init_read_config(), read_config_exports));
  const late = await Promise.resolve().then(() => (init_late(), late_exports));
  const common = await Promise.resolve().then(() => __toESM(require_common()));
  const bytes = await init_packed().then(() => packed_exports);
  return [...late.say(), common.default.isCommon, bytes.packed.length, all.length];
}
globalThis.settings = 1;
globalThis.answer = await main();
`;

const early = [["core.mjs", ["init_serve_configs", "init_read_config"]]] as const;

Deno.test("partsOf() divides a program that then does the same", async () => {
  await using dir = await scratch();
  const parts = partsOf(bundle, (text) => text.replace("settings = 1", "settings = 2"), early);
  assert.deepEqual(parts.map(({ name }) => name), [
    "core.mjs",
    "rest.mjs",
    "packed_1.mjs",
    "start.mjs",
  ]);
  for (const { name, code } of parts) await Deno.writeTextFile(join(dir.path, name), code);
  const scope = globalThis as unknown as { answer?: unknown[]; settings?: number };
  await import(pathToFileURL(join(dir.path, "start.mjs")).href);
  assert.deepEqual(scope.answer, [
    "late",
    Deno.build.os === "windows" ? "\\" : "/",
    3,
    3,
    true,
    75_000,
    3,
  ]);
  assert.equal(scope.settings, 2);
  const [core, rest, packed, start] = parts.map(({ code }) => code) as [
    string,
    string,
    string,
    string,
  ];
  assert.doesNotMatch(core, /isCommon: true|fromBase64/);
  assert.match(rest, /function say/);
  // It assigns to a variable of the core, which no other module can
  assert.match(core, /function countTwice/);
  assert.match(packed, /fromBase64/);
  assert.match(start, /await main\(\)/);
  delete scope.answer;
  delete scope.settings;
});

Deno.test("partsOf() refuses a start that needs a compressed text, or a module that is not there", () => {
  const code = bundle.replace("globalThis.settings = 1;", "init_packed();");
  assert.throws(() => partsOf(code, (text) => text, early), /A start needs a compressed text/);
  assert.throws(
    () => partsOf(bundle, (text) => text, [["core.mjs", ["init_gone"]]]),
    /Nothing was built/,
  );
});

Deno.test("unitsOf() reads what a statement declares, uses, assigns and imports", () => {
  const units = unitsOf(
    "var a, { b: [c = 1, ...d] } = a.b;\nfunction e(f) { c = f.a; for (d of a) e.c++; }\n",
  );
  assert.deepEqual(units.map(({ declared }) => declared), [["a", "c", "d"], ["e"]]);
  assert.deepEqual(units.map(({ used }) => [...used].toSorted()), [["a", "c", "d"], [
    "a",
    "c",
    "d",
    "e",
  ]]);
  assert.deepEqual(units.map(({ assigned }) => [...assigned].toSorted()), [[], ["c", "d"]]);
});
