/** Which tools scripts have in a session, and what changes them. */

import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { valueArgs } from "../../../src/sources/command/read_config.ts";
import { personalScripts } from "../../../src/sources/scripts/kept_files.ts";
import { trustFile } from "../../../src/trust/accepted.ts";
import { type GivenScripts, ScriptToolSource } from "../../../src/sources/scripts/script_source.ts";
import type { Tool } from "../../../src/tool/tool.ts";
import { withVariables } from "../../_io.ts";
import { toolOf } from "../../_tools.ts";
import { scratch } from "../../e2e/_scratch.ts";

const script = "/* climax script\ndescription: Does\neffect: read\n*/\n";
const one = { texts: [{ file: "a.js", text: script }] };

function sourceOf(policy: string, given?: GivenScripts, configs: readonly string[] = []) {
  return new ScriptToolSource({
    isOn: policy === "on",
    policy: policy === "on" || policy === "" ? undefined : { file: "policy.yaml", text: policy },
    given,
    files: () => configs,
    argReader: () => Promise.resolve(valueArgs),
  });
}

const rows: readonly [
  policy: string,
  names: readonly string[],
  more?: { readonly given?: GivenScripts; readonly taken?: readonly Tool[] },
][] = [
  ["on", ["script_run"]],
  ["", []],
  ["tools: { script_run: {} }", ["script_run"]],
  ["deny: [script_run]", ["script_run"]],
  ["deny: [other]\n# script_run", []],
  ["tools: { script_run: 3 }", []],
  ["default: enabled", []],
  ["on", [], { taken: [toolOf("script_run", {})] }],
  ["on", [], { taken: [{ ...toolOf("other", {}), aliases: ["script_run"] }] }],
  ["on", ["script_run"], { given: { texts: [] } }],
  ["on", ["a", "script_run"], { given: one }],
  ["", ["a"], { given: one }],
  ["", [], { given: { texts: [] } }],
];

for (const [policy, names, { given, taken = [] } = {}] of rows) {
  const what = [policy, ...given?.texts ?? [], ...taken].map((each) => JSON.stringify(each));
  Deno.test(`a session has the scripts ${names} with ${what.join(" ").slice(0, 80)}`, async () => {
    const source = sourceOf(policy, given);
    const { tools, problems, unreadable } = await source.load(taken);
    assert.deepEqual([tools.map(({ name }) => name), problems, unreadable], [names, [], false]);
    for (const tool of tools) {
      const values = new Map([["code", "return 1"], ["name", "x"]]);
      assert.equal((await source.runner.prepare(tool, values)).ok, true);
    }
    await source.runner.close?.();
    assert.deepEqual(source.files, []);
  });
}

Deno.test("scripts are looked at where they were, with the list of those that are accepted", async () => {
  await using dir = await scratch();
  using _ = withVariables({ HOME: dir.path, XDG_CONFIG_HOME: dir.path, APPDATA: dir.path });
  const folder = personalScripts()!;
  const source = sourceOf("", undefined, [join(dirname(folder), "a.yaml")]);
  assert.deepEqual((await source.load([])).tools, []);
  await Deno.mkdir(folder, { recursive: true });
  const file = join(folder, "a.js");
  await Deno.writeTextFile(file, script);
  for (let loads = 0; loads < 2; loads++) {
    assert.deepEqual((await source.load([])).tools.map(({ name }) => name), ["a"]);
    assert.deepEqual(source.files, [folder, file, trustFile()]);
  }
  await Deno.remove(folder, { recursive: true });
  assert.deepEqual((await source.load([])).tools, []);
  assert.equal(source.files.length, 3);
});
