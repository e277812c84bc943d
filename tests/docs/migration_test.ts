/** The page on migration: what it says is here is here, and what it says is refused is. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { bundledConfigs } from "../../src/sources/command/bundled.ts";
import { loadConfigs } from "../../src/sources/command/load.ts";
import { root } from "../_fixtures.ts";

const page = await Deno.readTextFile(join(root, "docs", "migration.md"));

Deno.test("docs/migration.md: the names it gives are those of bundled tools", async () => {
  const { tools } = await loadConfigs([...bundledConfigs.keys()], () => undefined);
  const names = new Set(tools.map(({ name }) => name));
  const rows = [...page.matchAll(/^\| tool `(\w+)` \| (.*) \|$/gm)];
  assert.ok(rows.length >= 2);
  for (const [, before, now] of rows) {
    assert.equal(names.has(before!), false, before);
    const listed = [...now!.matchAll(/`((?:git|claude)_\w+)`/g)].map(([, name]) => name!);
    assert.ok(listed.length > 0);
    for (const name of listed) assert.ok(names.has(name), name);
  }
  const ask = tools.find(({ name }) => name === "claude_ask")!;
  assert.ok(ask.args.some(({ name }) => name === "model"));
  const logs = tools.find(({ name }) => name === "docker_logs")!;
  assert.equal(logs.args.some(({ name }) => name === "follow"), false);
});

const tool = "name: x\ncommand: x\n";
const texts: readonly (readonly [what: string, text: string, problem: RegExp | undefined])[] = [
  ["unknown keys", `version: 1\n${tool}tools: [{name: x}]`, /Unknown key 'version'/],
  ["notes", `x-note: 1\n${tool}tools: [{name: x}]`, undefined],
  ["yes", `${tool}tools: [{name: x, args: [{name: a, required: yes}]}]`, /write true/],
  ["merge keys", `${tool}tools: [{name: x, args: [{<<: {}, name: a}]}]`, /no merge key/],
  ["unset variables", `${tool}working_dir: $UNSET_HERE\ntools: [{name: x}]`, /not set/],
  ["quoted numbers", `${tool}tools: [{name: x, timeout: '60'}]`, undefined],
  ["__proto__", `${tool}tools: [{name: x, args: [{name: __proto__}]}]`, /__proto__/],
];

for (const [what, text, problem] of texts) {
  Deno.test(`docs/migration.md: ${what} are ${problem ? "refused" : "read"}`, async () => {
    const { problems } = await loadConfigs([{ file: "x.yaml", text }], () => undefined);
    const said = problems.map(({ message, hint }) => `${message} ${hint ?? ""}`).join("\n");
    if (problem === undefined) assert.equal(said, "");
    else assert.match(said, problem);
  });
}
