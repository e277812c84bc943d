/** Where `script_run` is served, and plans of its calls. */

import assert from "node:assert/strict";
import { scriptLimits } from "../../../src/sources/scripts/limits.ts";
import { scriptRunner, ScriptToolSource } from "../../../src/sources/scripts/script_source.ts";
import { scriptTool } from "../../../src/sources/scripts/script_tools.ts";
import type { ArgValues, Tool } from "../../../src/tool/tool.ts";
import { toolOf } from "../../_tools.ts";

function sourceOf(policy: string) {
  return new ScriptToolSource({
    isOn: policy === "on",
    policy: policy === "on" || policy === "" ? undefined : { file: "policy.yaml", text: policy },
  });
}

const rows: readonly [
  policy: string,
  names: readonly string[],
  taken?: readonly Tool[],
][] = [
  ["on", ["script_run"]],
  ["", []],
  ["tools: { script_run: {} }", ["script_run"]],
  ["deny: [script_run]", ["script_run"]],
  ["deny: [other]\n# script_run", []],
  ["tools: { script_run: 3 }", []],
  ["default: enabled", []],
  ["on", [], [toolOf("script_run", {})]],
  ["on", [], [{ ...toolOf("other", {}), aliases: ["script_run"] }]],
];

for (const [policy, names, taken = []] of rows) {
  const what = [policy, ...taken].map((each) => JSON.stringify(each));
  Deno.test(`a session has the scripts ${names} with ${what.join(" ").slice(0, 80)}`, async () => {
    const source = sourceOf(policy);
    const { tools, problems, unreadable } = await source.load(taken);
    assert.deepEqual([tools.map(({ name }) => name), problems, unreadable], [names, [], false]);
    for (const tool of tools) {
      const values = new Map([["code", "return 1"], ["name", "x"]]);
      assert.equal((await source.runner.prepare(tool, values)).ok, true);
    }
    await source.runner.close?.();
  });
}

Deno.test("script_run takes an input up to its bound, and shows a person what runs", async () => {
  const runner = scriptRunner(undefined, { ...scriptLimits, valueLength: 10 });
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
