/** Compact results: lines, one whole schema by name, and that they suffice to call tools right. */

import assert from "node:assert/strict";
import { answer } from "../../src/catalog/answer.ts";
import { answerText } from "../../src/catalog/compact.ts";
import { ToolIndex } from "../../src/catalog/tool_index.ts";
import { catalogue } from "./_tools.ts";

const index = new ToolIndex(catalogue);

Deno.test("answerText() of the contract is its JSON", async () => {
  for (const request of [{}, { query: "branch" }, { cli: "docker", limit: 2 }]) {
    const text = await answerText(index, request, "contract");
    assert.deepEqual(JSON.parse(text), await answer(index, request));
  }
});

Deno.test("answerText() compact has a line for each tool, in the same order", async () => {
  const request = { cli: "docker" };
  const found = await answer(index, request);
  assert.ok(found.mode === "search" && found.results.length > 2);
  const lines = (await answerText(index, request, "compact")).split("\n");
  assert.deepEqual(
    lines.map((line) => line.slice(0, line.indexOf("("))),
    found.results.map(({ tool_name }) => tool_name),
  );
});

Deno.test("answerText() compact has the whole schema where the query is a tool's name", async () => {
  const found = JSON.parse(await answerText(index, { query: "docker_ps" }, "compact"));
  assert.deepEqual(found, index.search({ query: "docker_ps" })[0]);
  // A filter that leaves the tool out does so here too
  const text = await answerText(index, { query: "docker_ps", cli: "files" }, "compact");
  assert.equal(text.includes("docker_ps"), false);
});

Deno.test("answerText() compact sums up each program in a line, and says where nothing is", async () => {
  const lines = (await answerText(index, {}, "compact")).split("\n");
  assert.equal(lines.length, index.summary().length);
  assert.match(lines[0]!, /^git-tools \(\d+ tools/);
  assert.equal(await answerText(index, { query: "zzzz" }, "compact"), "No tool matches");
  assert.equal(await answerText(new ToolIndex([]), {}, "compact"), "No programs");
});
