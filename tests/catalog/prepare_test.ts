/** That a large catalogue is read while others have their turns. */

import assert from "node:assert/strict";
import { rankingOf, ToolIndex } from "../../src/catalog/tool_index.ts";
import { buildRanking, cli, tool } from "./_tools.ts";
const words = Array.from({ length: 400 }, (_, at) => `word${at * 7919 % 1000}`);
const tools = Array.from({ length: 5_000 }, (_, at) => {
  const text = words.slice(at % 300, at % 300 + 60).join(" ");
  return tool(cli(`server${at % 3}`), `tool_${at}`, `${text} ${at}`, { some: text });
});

Deno.test("rankingOf() yields after a few hundred tools in each of its steps", () => {
  const steps = rankingOf(tools);
  let turns = 0;
  while (!steps.next().done) turns++;
  // Each tool is read in some ten passes, of at most a thousand tools a turn
  assert.ok(turns > tools.length / 1_000 * 10, `${turns} turns`);
});

Deno.test("ToolIndex.find() lets others have their turns while it reads the tools", async () => {
  const index = new ToolIndex(tools);
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  const first = index.find({ query: "word7 4999", limit: 5 });
  const second = index.find({ query: "tool_4999", limit: 1 });
  const found = await first;
  clearInterval(timer);
  assert.ok(turns > 3, `${turns} turns`);
  assert.equal((await second)[0]!.tool_name, "tool_4999");
  const expected = buildRanking(tools).rank("word7 4999", { limit: 5 });
  assert.deepEqual(found.map(({ tool_name }) => tool_name), expected.map((at) => `tool_${at}`));
});

Deno.test("ToolIndex.search() reads the rest at once where find() has begun", async () => {
  const index = new ToolIndex(tools);
  const found = index.find({ query: "word7 4999" });
  assert.deepEqual(index.search({ query: "word7 4999" }), await found);
});
