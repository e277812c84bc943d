/**
 * That compact results suffice to call tools right, for a fraction of the tokens: a scripted agent over
 * the queries of the bundled configs, which reads nothing else.
 */

import assert from "node:assert/strict";
import { readJson, readSignature } from "./_compact_reader.ts";
import { knowsAll, runAgent } from "./_scripted_agent.ts";
import { bundledRows, bundledTools } from "./_query_sets.ts";
import { answerText } from "../../src/catalog/compact.ts";
import { ToolIndex } from "../../src/catalog/tool_index.ts";
import { lineOf } from "../../src/tool/signature.ts";
import type { Arg } from "../../src/tool/tool.ts";

const withRanges = { ranges: true };

Deno.test("an agent succeeds with compact results as with the contract's, for a tenth of the tokens", async () => {
  const rows = bundledRows();
  const contract = await runAgent(rows, "contract");
  const compact = await runAgent(rows, "compact");
  assert.ok(contract.succeeded >= 0.9 * rows.length, `${contract.succeeded} of ${rows.length}`);
  assert.ok(compact.succeeded >= contract.succeeded, `${compact.succeeded} of ${rows.length}`);
  assert.ok(compact.called >= contract.called && compact.called >= 0.85 * rows.length);
  // Measured: 0.098, and 1.13 searches
  assert.ok(compact.tokens <= 0.11 * contract.tokens, `${compact.tokens / contract.tokens}`);
  assert.ok(compact.searches <= 1.2, `${compact.searches}`);
});

Deno.test("a line says all there is to know of each bundled tool, or where the rest is", async () => {
  const tools = await bundledTools();
  const index = new ToolIndex(tools);
  let cut = 0;
  for (const tool of tools) {
    const line = readSignature(lineOf(tool));
    assert.equal(line.name, tool.name);
    const brief = readSignature(lineOf(tool, { isBrief: true }));
    assert.equal(brief.isCut, !knowsAll(tool, brief, withRanges), tool.name);
    assert.equal(line.isCut, !knowsAll(tool, line, withRanges), tool.name);
    if (!line.isCut) continue;
    cut++;
    const [whole] = readJson(await answerText(index, { query: tool.name }, "compact"));
    assert.ok(knowsAll(tool, whole!, withRanges), tool.name);
  }
  assert.ok(cut < tools.length / 50, `${cut} of ${tools.length} are cut`);
});

/** What an agent may have wrong of `a`. */
const errors: readonly [string, Partial<Arg>][] = [
  ["name", { name: "b" }],
  ["required", { required: true }],
  ["type", { type: "number" }],
  ["least", { limits: { min: 2, max: 9 } }],
  ["most", { limits: { min: 1, max: 8 } }],
  ["values", { enum: [1, 2] }],
];

for (const [what, wrong] of errors) {
  Deno.test(`the scripted agent does not know a tool of which it has another ${what}`, () => {
    const role = { kind: "positional" } as const;
    const limits = { min: 1, max: 9 };
    const arg: Arg = { name: "a", description: "", type: "integer", required: false, role, limits };
    const line = readSignature("t(a?: integer 1..9) read: x");
    assert.equal(knowsAll({ args: [arg] }, line, withRanges), true);
    assert.equal(knowsAll({ args: [{ ...arg, ...wrong }] }, line, withRanges), false);
    assert.equal(knowsAll({ args: [arg, { ...arg, name: "c" }] }, line, withRanges), false);
    assert.equal(knowsAll({ args: [] }, line, withRanges), false);
  });
}
